import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVersionRuns, encodeVersionRuns, headAndTail } from './version-runs';

const versions = fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 300 });

describe('encodeVersionRuns', () => {
  it('is undone by decodeVersionRuns', () => {
    fc.assert(
      fc.property(versions, (input) => {
        expect(decodeVersionRuns(encodeVersionRuns(input))).toEqual(input);
      }),
    );
  });

  it('gives lengths of at least one that sum to the number of tokens', () => {
    fc.assert(
      fc.property(versions, (input) => {
        const lengths = encodeVersionRuns(input).map(([, length]) => length);
        expect(lengths.every((length) => length >= 1)).toBe(true);
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(input.length);
      }),
    );
  });

  it('never has two neighbours of one version', () => {
    fc.assert(
      fc.property(versions, (input) => {
        const runs = encodeVersionRuns(input);
        expect(runs.every(([version], i) => i === 0 || runs[i - 1]?.[0] !== version)).toBe(true);
      }),
    );
  });
});

describe('headAndTail', () => {
  it('are the smallest and largest version among the tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }), (input) => {
        expect(headAndTail(encodeVersionRuns(input))).toEqual({ head: Math.min(...input), tail: Math.max(...input) });
      }),
    );
  });

  it('are −1 when nothing was generated', () => {
    expect(headAndTail([])).toEqual({ head: -1, tail: -1 });
  });
});
