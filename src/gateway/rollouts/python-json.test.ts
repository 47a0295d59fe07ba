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

  // Expected texts: Python 3.11, json.dumps(value).
  it.each([
    [1e-7, '1e-07'],
    [-1.5e-7, '-1.5e-07'],
    [1e-5, '1e-05'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012345'],
    [1e15, '1000000000000000.0'],
    [9999999999999998, '9999999999999998.0'],
    [1e16, '1e+16'],
    [1.2345678901234568e17, '1.2345678901234568e+17'],
    [1e21, '1e+21'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [-2.5e-300, '-2.5e-300'],
    [1234.5, '1234.5'],
    [0, '0.0'],
  ])('lays out the float %d as Python does', (value, expected) => {
    expect(toPythonJson(new PythonFloat(value))).toBe(expected);
  });

  it('writes floats that read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(JSON.parse(toPythonJson(new PythonFloat(value)))).toBe(value);
      }),
    );
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
