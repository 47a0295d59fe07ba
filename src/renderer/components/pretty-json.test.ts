import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prettyJson } from './pretty-json';

describe('prettyJson', () => {
  it('puts token arrays and version runs on one line', () => {
    expect(
      prettyJson({
        ids: [1, 2, 3],
        version_rle: [
          [5, 2],
          [6, 3],
        ],
        segments: [{ role: 'gen' }],
      }),
    ).toBe(
      [
        '{',
        '  "ids": [1, 2, 3],',
        '  "version_rle": [[5,2], [6,3]],',
        '  "segments": [',
        '    {',
        '      "role": "gen"',
        '    }',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('is always the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(prettyJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
