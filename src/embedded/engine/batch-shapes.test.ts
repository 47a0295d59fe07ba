import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchShapes, fitSize, isWithinBudget, rowSizes } from './batch-shapes';

const limits = { maxRunning: 32, contextLength: 256, bytesPerToken: 4096, maxTotalTokens: null };

describe('batchShapes', () => {
  it('bounds rows × capacity, and always holds one request of full length', () => {
    const any = fc.record({
      maxRunning: fc.integer({ min: 1, max: 256 }),
      contextLength: fc.integer({ min: 2, max: 4096 }),
      bytesPerToken: fc.integer({ min: 64, max: 1_000_000 }),
      maxTotalTokens: fc.option(fc.integer({ min: 1, max: 100_000 })),
    });
    fc.assert(
      fc.property(any, (given) => {
        const shapes = batchShapes(given);
        for (const capacity of shapes.capacities) {
          for (const rows of rowSizes(shapes, capacity)) {
            expect(rows).toBeGreaterThanOrEqual(1);
            expect(rows).toBeLessThanOrEqual(given.maxRunning);
            expect(rows * capacity).toBeLessThanOrEqual(shapes.maxTokens);
          }
        }
        expect(isWithinBudget(shapes, 1, given.contextLength)).toBe(true);
      }),
    );
  });

  it.each([
    [32, 128, true],
    [33, 32, false],
    [16, 256, true],
    [17, 129, false],
    [17, 128, true],
  ])('the default budget holds %i rows of %i positions: %s', (rows, positions, expected) => {
    expect(isWithinBudget(batchShapes(limits), rows, positions)).toBe(expected);
  });

  it('says what does not fit', () => {
    expect(fitSize([32, 64], 33)).toBe(64);
    expect(() => fitSize([32, 64], 65)).toThrow('65');
  });
});
