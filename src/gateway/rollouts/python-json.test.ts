import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PythonFloat, toPythonJson } from './python-json';

describe('toPythonJson', () => {
  // Expected texts: Python 3.11, json.dumps(value).
  it.each([
    ['an object', { task_id: 17, version_rle: [[3, 23]] }, '{"task_id": 17, "version_rle": [[3, 23]]}'],
    ['a whole float', new PythonFloat(1), '1.0'],
    ['a negative float', new PythonFloat(-0.5773502588272095), '-0.5773502588272095'],
    ['minus zero', new PythonFloat(-0), '-0.0'],
    ['Chinese', '求和', '"\\u6c42\\u548c"'],
    ['an emoji', '😀', '"\\ud83d\\ude00"'],
    ['control characters', 'a\n\t"\\\u007f', '"a\\n\\t\\"\\\\\\u007f"'],
    ['nothing and truth', [null, true], '[null, true]'],
    ['a float that is none', new PythonFloat(Number.NaN), 'null'],
    ['a key without a value', { a: undefined, b: 1 }, '{"b": 1}'],
  ])('writes %s', (_name, value, expected) => {
    expect(toPythonJson(value)).toBe(expected);
  });

  it('is ASCII and reads back as the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = toPythonJson(text);
        expect(json).toMatch(/^[ -~]*$/);
        expect(JSON.parse(json)).toBe(text);
      }),
    );
  });
});
