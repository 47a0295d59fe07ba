import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVersionRuns, encodeVersionRuns } from '../../shared/domain/version-runs';
import { placeRuns, runTokens, stripGradient } from './version-strip-runs';

const versions = fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 200 });

describe('placeRuns', () => {
  it('gives every token the version it was sampled with', () => {
    fc.assert(
      fc.property(versions, (tokens) => {
        const placed = placeRuns(encodeVersionRuns(tokens));
        const seen = placed.flatMap(({ version, from, to }) =>
          Array.from({ length: to - from + 1 }, (_, offset) => [from + offset, version] as const),
        );
        expect(seen).toEqual(tokens.map((version, index) => [index + 1, version]));
      }),
    );
  });

  it('counts the tokens of the decoded runs', () => {
    fc.assert(
      fc.property(versions, (tokens) => {
        const runs = encodeVersionRuns(tokens);
        expect(runTokens(runs)).toBe(decodeVersionRuns(runs).length);
      }),
    );
  });

  it('drops an empty run without moving its neighbours', () => {
    expect(
      placeRuns([
        [4, 3],
        [5, 0],
        [6, 2],
      ]),
    ).toEqual([
      { version: 4, from: 1, to: 3, length: 3 },
      { version: 6, from: 4, to: 5, length: 2 },
    ]);
  });
});

describe('stripGradient', () => {
  it('draws runs to scale with hard edges', () => {
    const gradient = stripGradient(
      [
        [5, 18],
        [6, 24],
      ],
      (version) => `c${version}`,
    );
    expect(gradient).toBe('linear-gradient(to right, c5 0% 42.857%, c6 42.857% 100%)');
  });

  it('draws nothing for no tokens', () => {
    expect(stripGradient([], () => 'red')).toBe('none');
  });
});
