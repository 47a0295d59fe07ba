import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditRewards, discountRewards } from './reward-discount';

const rewards = fc.array(fc.option(fc.double({ min: -10, max: 10, noNaN: true }), { nil: null }), { maxLength: 12 });
const gamma = fc.double({ min: 0, max: 1, noNaN: true });

describe('discountRewards', () => {
  it('satisfies R_k = r_k + γ R_{k+1} for every session', () => {
    fc.assert(
      fc.property(rewards, gamma, (raw, g) => {
        const returns = discountRewards(raw, g);
        raw.forEach((reward, k) => {
          expect(returns[k]).toBe((reward ?? 0) + g * (returns[k + 1] ?? 0));
        });
      }),
    );
  });
});

describe('creditRewards', () => {
  it('is never known after the last rating, and always at it', () => {
    fc.assert(
      fc.property(rewards, gamma, (raw, g) => {
        const credits = creditRewards(raw, g);
        let laterRated = false;
        for (let k = raw.length - 1; k >= 0; k -= 1) {
          laterRated ||= raw[k] !== null;
          const isKnown = g > 0 ? laterRated : raw[k] !== null;
          expect(credits[k] !== null).toBe(isKnown);
        }
      }),
    );
  });
});
