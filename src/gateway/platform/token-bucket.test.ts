import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBuckets } from './token-bucket';

describe('TokenBuckets', () => {
  it('allows a burst of twice the rate, then says when the next call may come', () => {
    const buckets = new TokenBuckets(10);
    const burst = Array.from({ length: 21 }, () => buckets.take('a', 0));
    expect(burst.slice(0, 20)).toEqual(Array(20).fill(0));
    expect(burst[20]).toBeCloseTo(0.1);
    expect(buckets.take('a', 100)).toBe(0);
    expect(buckets.take('b', 100)).toBe(0);
  });

  it('takes a clock that goes backwards', () => {
    const buckets = new TokenBuckets(1);
    expect([buckets.take('a', 10_000), buckets.take('a', 10_000)]).toEqual([0, 0]);
    expect(buckets.take('a', 0)).toBeCloseTo(1);
    expect(buckets.take('a', 1000)).toBe(0);
  });

  it('never allows more than burst + rate × time', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (rate, pauses) => {
        const buckets = new TokenBuckets(rate);
        let now = 0;
        let allowed = 0;
        for (const pause of pauses) {
          now += pause;
          if (buckets.take('a', now) === 0) allowed += 1;
        }
        expect(allowed).toBeLessThanOrEqual(2 * rate + (rate * now) / 1000 + 1e-6);
      }),
    );
  });
});
