import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskStaleTokens } from './staleness-mask';
import { tokenWeights } from './token-weights';

describe('tokenWeights', () => {
  const rows = [
    { session: 0, lossMask: [0, 1, 1, 1, 1, 1, 1] },
    { session: 1, lossMask: [0, 1] },
    { session: 1, lossMask: [0, 0, 1] },
    { session: 2, lossMask: [0, 0] },
  ];

  it.each([
    ['token', [1 / 8, 1 / 8, 1 / 8, 0]],
    ['session', [1 / 12, 1 / 4, 1 / 4, 0]],
  ] as const)('shares the batch out by %s', (denominator, expected) => {
    expect(tokenWeights(denominator, rows)).toEqual(expected);
  });

  it('sums to 1 over the tokens of any batch that has one', () => {
    const row = fc.record({
      session: fc.integer({ min: 0, max: 5 }),
      lossMask: fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom('token', 'session'),
        fc.array(row, { minLength: 1, maxLength: 12 }),
        (rule, batch) => {
          const tokens = batch.map(({ lossMask }) => lossMask.reduce((sum, one) => sum + one, 0));
          const total = tokenWeights(rule, batch).reduce((sum, weight, i) => sum + weight * tokens[i]!, 0);
          expect(total).toBeCloseTo(tokens.some((count) => count > 0) ? 1 : 0, 12);
        },
      ),
    );
  });
});

describe('maskStaleTokens', () => {
  it.each([
    ['fresh tokens stay', 5, [0, 1, 1], [-1, 5, 5], 4, [0, 1, 1], 0, false],
    ['the limit itself is still trained', 9, [0, 1], [-1, 5], 4, [0, 1], 0, false],
    ['older tokens go, newer ones of the same row stay', 9, [0, 1, 1, 1], [-1, 4, 4, 8], 4, [0, 0, 0, 1], 2, false],
    ['a row whose every token is old is dropped', 9, [0, 1, 1], [-1, 0, 1], 4, [0, 0, 0], 2, true],
    ['a limit of 0 means on-policy only', 3, [1, 1], [3, 2], 0, [1, 0], 1, false],
    ['a row without policy tokens is not dropped', 3, [0, 0], [-1, -1], 4, [0, 0], 0, false],
  ] as const)('%s', (_reason, version, lossMask, versions, limit, mask, masked, rowDropped) => {
    const result = maskStaleTokens(version, lossMask, versions, limit);
    expect([...result.mask]).toEqual(mask);
    expect(result).toMatchObject({ masked, rowDropped });
  });

  it('drops a row when less than a tenth of its tokens is fresh enough', () => {
    const ages = (fresh: number) => Array.from({ length: 20 }, (_, t) => (t < fresh ? 10 : 0));
    const ones = new Array<number>(20).fill(1);
    expect(maskStaleTokens(10, ones, ages(1), 4)).toMatchObject({ rowDropped: true, masked: 20 });
    expect(maskStaleTokens(10, ones, ages(2), 4)).toMatchObject({ rowDropped: false, masked: 18 });
  });
});
