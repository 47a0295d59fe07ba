import { describe, expect, it } from 'vitest';
import { chooseToken, Distribution, type SamplingShape } from './sampler';
import { seededUniform } from './seeded-uniform';

const WHOLE: SamplingShape = { temperature: 1, topP: 1, topK: -1, minP: 0 };
/** probabilities 0.5, 0.25, 0.125, 0.125 */
const logits = Float32Array.from([3, 2, 1, 1].map((halvings) => halvings * Math.LN2));

/** Share of draws per id over an even grid of uniforms. */
function shares(shape: SamplingShape, banned?: ReadonlySet<number>): number[] {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 1000; i++) counts[chooseToken(logits, shape, (i + 0.5) / 1000, banned)!.id]! += 1;
  return counts.map((count) => count / 1000);
}

describe('chooseToken', () => {
  it.each<[string, Partial<SamplingShape>, readonly number[]]>([
    ['draws in proportion', {}, [0.5, 0.25, 0.125, 0.125]],
    ['keeps the k likeliest', { topK: 2 }, [2 / 3, 1 / 3, 0, 0]],
    ['prefers the smaller id among ties at the k-th place', { topK: 3 }, [4 / 7, 2 / 7, 1 / 7, 0]],
    ['keeps the fewest tokens that reach top_p', { topP: 0.7 }, [2 / 3, 1 / 3, 0, 0]],
    ['keeps one token at a tiny top_p', { topP: 1e-9 }, [1, 0, 0, 0]],
    ['drops what is unlikelier than min_p of the best', { minP: 0.3 }, [2 / 3, 1 / 3, 0, 0]],
    ['applies top_p within what top_k left', { topK: 2, topP: 0.6 }, [1, 0, 0, 0]],
    ['flattens at a high temperature', { temperature: 1e6 }, [0.25, 0.25, 0.25, 0.25]],
    ['takes the likeliest below 1e-6', { temperature: 1e-7 }, [1, 0, 0, 0]],
    ['takes the likeliest at a tiny temperature', { temperature: 1e-5 }, [1, 0, 0, 0]],
  ])('%s', (_name, shape, expected) => {
    shares({ ...WHOLE, ...shape }).forEach((share, id) => {
      expect(share).toBeCloseTo(expected[id]!, 2);
    });
  });

  it('never draws a banned token, greedy or not', () => {
    expect(shares(WHOLE, new Set([0]))[0]).toBe(0);
    expect(chooseToken(logits, { ...WHOLE, temperature: 0 }, 0, new Set([0]))!.id).toBe(1);
  });

  it.each<[string, Partial<SamplingShape>, number]>([
    ['of the whole vocabulary, whatever is truncated', { topK: 1 }, Math.log(0.5)],
    ['at the temperature', { temperature: 0.5 }, Math.log(16 / 22)],
    ['at temperature 1 when greedy', { temperature: 0 }, Math.log(0.5)],
  ])('reports the log-prob %s', (_name, shape, expected) => {
    expect(chooseToken(logits, { ...WHOLE, ...shape }, 0)!.logprob).toBeCloseTo(expected, 6);
  });

  it('keeps log-probs finite when a token is all but impossible', () => {
    const distribution = Distribution.of(Float32Array.from([0, -3e38]), 1e-5)!;
    expect(Number.isFinite(distribution.logprob(1))).toBe(true);
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY]])('refuses a logit of %s', (bad) => {
    expect(chooseToken(Float32Array.from([0, bad]), WHOLE, 0.5)).toBeNull();
  });

  it('never draws a token of probability zero at the edge of the range', () => {
    const edge = Float32Array.from([-1e38, 0, -1e38]);
    for (const uniform of [0, 1 - 2 ** -53]) expect(chooseToken(edge, WHOLE, uniform)!.id).toBe(1);
  });
});

describe('seededUniform', () => {
  it('is even over positions of one seed, and over seeds at one position', () => {
    for (const of of [(i: number) => seededUniform(1234, i), (i: number) => seededUniform(i, 7)]) {
      const bins = new Array(10).fill(0);
      for (let i = 0; i < 20_000; i++) bins[Math.floor(of(i) * 10)]++;
      // chi-square with 9 degrees of freedom: above 33.7 with probability 1e-4
      expect(bins.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0)).toBeLessThan(33.7);
    }
  });

  it('does not correlate neighbouring positions', () => {
    let product = 0;
    for (let i = 0; i < 20_000; i++) product += (seededUniform(5, i) - 0.5) * (seededUniform(5, i + 1) - 0.5);
    // standard error of the mean is 1/12/√n ≈ 0.0006
    expect(Math.abs(product / 20_000)).toBeLessThan(0.003);
  });

  it('tells seeds apart that differ in their upper half only', () => {
    expect(seededUniform(1 + 2 ** 40, 3)).not.toBe(seededUniform(1, 3));
  });
});
