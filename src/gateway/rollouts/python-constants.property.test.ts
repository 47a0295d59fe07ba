import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nullPythonConstants } from './python-constants';

interface Written {
  /** as Python writes it */
  readonly python: string;
  /** what is read from it */
  readonly value: unknown;
}

const text = fc.string({
  unit: fc.constantFrom('"', '\\', 'NaN', '-Infinity', 'Infinity', ':', ',', '{', ']', 'u', '\n', '语', 'a'),
  maxLength: 12,
});
const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('NaN', 'Infinity', '-Infinity').map((python) => ({ python, value: null })),
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)).map((value) => ({
      python: JSON.stringify(value),
      value,
    })),
    fc.array(tie('written')).map((items) => ({
      python: `[${items.map(({ python }) => python).join(', ')}]`,
      value: items.map(({ value }) => value),
    })),
    fc.array(fc.tuple(text, tie('written'))).map((entries) => ({
      python: `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${item.python}`).join(', ')}}`,
      value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    })),
  ),
}));

/** What is right for a short text, but takes the square of a long one's length and a stack as deep as its strings. */
const byExpression = (line: string): string =>
  line.replace(/"(?:[^"\\]|\\.)*"|NaN|-?Infinity/gs, (match) => (match.startsWith('"') ? match : 'null'));

const read = (json: string): unknown => {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return 'no JSON';
  }
};

describe('nullPythonConstants', () => {
  it('reads what Python writes, names in strings as text', () => {
    fc.assert(
      fc.property(written, ({ python, value }) => {
        expect(JSON.parse(nullPythonConstants(python))).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it('reads any text as the expression does', () => {
    const units = [
      '"',
      '\\',
      '\\"',
      '\\\\',
      'NaN',
      '-',
      'Infinity',
      'null',
      '1',
      '[',
      ']',
      ',',
      '{"a":',
      '}',
      'N',
      ' ',
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 14 }), (line) => {
        const [scanned, expected] = [read(nullPythonConstants(line)), read(byExpression(line))];
        expect(scanned).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['NaN', 'null'],
    ['[NaN,-Infinity, Infinity]', '[null,null, null]'],
    ['{"NaN": "\\"NaN", "a": NaN}', '{"NaN": "\\"NaN", "a": null}'],
    ['["\\\\", NaN]', '["\\\\", null]'],
    ['["cut off, NaN', '["cut off, NaN'],
    ['["cut off\\', '["cut off\\'],
    ['Nan, Inf, -', 'Nan, Inf, -'],
  ])('%s → %s', (line, expected) => {
    expect(nullPythonConstants(line)).toBe(expected);
  });

  it('goes through a long string that is cut off once', () => {
    const line = `{"task_id": "t", "prompt": "${'{\\"a\\": 1}, '.repeat(500_000)}`;
    expect(nullPythonConstants(line)).toBe(line);
  });
});
