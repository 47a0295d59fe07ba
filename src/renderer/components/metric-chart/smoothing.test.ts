import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smooth } from './smoothing';

describe('smooth', () => {
  it.each([
    ['weight 0 changes nothing', [1, 5, -2], 0, [1, 5, -2]],
    // 0.5·0 + 0.5·4 = 2, corrected by 1 − 0.5² = 0.75
    ['two values at weight 0.5', [0, 4], 0.5, [0, 4 / 1.5]],
    ['a gap stays a gap and is not averaged', [2, null, 2], 0.9, [2, null, 2]],
    ['a broken value is a gap', [2, Number.NaN, 2], 0.9, [2, null, 2]],
  ])('%s', (_reason, values, weight, expected) => {
    const actual = smooth(values, weight);
    for (const [index, value] of expected.entries()) {
      if (value === null) expect(actual[index]).toBeNull();
      else expect(actual[index]).toBeCloseTo(value, 12);
    }
  });

  it('keeps a constant constant and stays within the range of its values', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (values, weight) => {
          const slack = 1e-6 * (1 + Math.max(...values.map(Math.abs)));
          for (const average of smooth(values, weight)) {
            expect(average).toBeGreaterThanOrEqual(Math.min(...values) - slack);
            expect(average).toBeLessThanOrEqual(Math.max(...values) + slack);
          }
        },
      ),
    );
  });
});
