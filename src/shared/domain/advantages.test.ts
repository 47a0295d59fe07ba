import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advantages, type BaselineRule, type EpisodeReward, summarize } from './advantages';

/** Golden vectors of the trainer contract rlt/1, worked out in a separate float64 program; six decimals. */
const EPISODES: readonly EpisodeReward[] = [
  { groupId: 'a', reward: 1 },
  { groupId: 'a', reward: 0 },
  { groupId: 'a', reward: 0.5 },
  { groupId: 'b', reward: 1 },
  { groupId: 'b', reward: 1 },
  { groupId: 'c', reward: -1 },
];

const RULES: readonly BaselineRule[] = ['batch_loo', 'batch', 'grpo', 'rloo'];

describe('advantages', () => {
  it.each([
    ['batch_loo', [0.7, -0.5, 0.1, 0.7, 0.7, -1.7]],
    ['batch', [0.728218, -0.520156, 0.104031, 0.728218, 0.728218, -1.76853]],
    ['grpo', [0.999998, -0.999998, 0, 0, 0, -1.76853]],
    ['rloo', [0.75, -0.75, 0, 0, 0, -1.416667]],
  ] satisfies [BaselineRule, number[]][])('%s gives the golden vector', (rule, expected) => {
    const actual = advantages(rule, EPISODES);
    expect(actual).toHaveLength(expected.length);
    expected.forEach((value, i) => {
      expect(Math.abs(actual[i]! - value), `episode ${i}`).toBeLessThan(5.1e-7);
    });
  });

  it.each([
    ['groups are found by id, not by position', 'grpo', [0, 3, 1, 4, 2, 5]],
    ['the batch does not care about order', 'batch_loo', [5, 4, 3, 2, 1, 0]],
  ] satisfies [string, BaselineRule, number[]][])('%s', (_reason, rule, order) => {
    const straight = advantages(rule, EPISODES);
    const shuffled = advantages(
      rule,
      order.map((i) => EPISODES[i]!),
    );
    order.forEach((from, to) => {
      expect(shuffled[to]).toBeCloseTo(straight[from]!, 12);
    });
  });

  it.each(RULES)('%s is exactly 0 when every reward is equal, even one that binary cannot hold', (rule) => {
    const equal = Array.from({ length: 7 }, (_, i) => ({ groupId: i % 3, reward: 0.1 }));
    expect(advantages(rule, equal)).toEqual(equal.map(() => 0));
  });

  it.each(RULES)('%s is 0 for a batch of one episode and empty for none', (rule) => {
    expect(advantages(rule, [{ groupId: 'x', reward: -1 }])).toEqual([0]);
    expect(advantages(rule, [])).toEqual([]);
  });

  it('keeps the rating of an episode that is alone in its group', () => {
    const alone = [1, 0, 1, 0].map((reward, i) => ({ groupId: `g${i}`, reward }));
    for (const rule of RULES) expect(advantages(rule, alone).every((a) => Math.abs(a) > 0.4)).toBe(true);
  });
});

const episodes = fc.array(
  fc.record({ groupId: fc.integer({ min: 0, max: 4 }), reward: fc.double({ min: -10, max: 10, noNaN: true }) }),
  { minLength: 2, maxLength: 40 },
);

describe('advantages, for any batch', () => {
  it('sums to 0 over the batch under the batch rules', () => {
    fc.assert(
      fc.property(fc.constantFrom<BaselineRule>('batch_loo', 'batch'), episodes, (rule, batch) => {
        const total = advantages(rule, batch).reduce((sum, a) => sum + a, 0);
        expect(Math.abs(total)).toBeLessThan(1e-6);
      }),
    );
  });

  it('does not change when every reward is shifted by the same amount', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RULES),
        // quarters add without rounding, so a spread near the epsilon cannot flip sides
        fc.array(fc.record({ groupId: fc.integer({ min: 0, max: 4 }), reward: fc.integer({ min: -8, max: 8 }) }), {
          minLength: 2,
          maxLength: 40,
        }),
        fc.integer({ min: -40, max: 40 }),
        (rule, batch, shift) => {
          const quarters = batch.map(({ groupId, reward }) => ({ groupId, reward: reward / 4 }));
          const shifted = quarters.map(({ groupId, reward }) => ({ groupId, reward: reward + shift / 4 }));
          const [before, after] = [advantages(rule, quarters), advantages(rule, shifted)];
          before.forEach((a, i) => {
            expect(after[i]).toBeCloseTo(a, 9);
          });
        },
      ),
    );
  });

  it('leave-one-out compares with the mean of the other episodes', () => {
    fc.assert(
      fc.property(episodes, (batch) => {
        const actual = advantages('batch_loo', batch);
        batch.forEach((episode, i) => {
          const others = batch.filter((_, j) => j !== i);
          const mean = others.reduce((sum, other) => sum + other.reward, 0) / others.length;
          expect(actual[i]).toBeCloseTo(episode.reward - mean, 9);
        });
      }),
    );
  });
});

describe('summarize', () => {
  it.each([
    ['no value', [], { count: 0, mean: 0, std: null }],
    ['one value has no spread', [3], { count: 1, mean: 3, std: null }],
    ['the spread divides by n − 1', [1, 2, 3, 4], { count: 4, mean: 2.5, std: Math.sqrt(5 / 3) }],
    ['equal values have exactly their own mean', [0.1, 0.1, 0.1], { count: 3, mean: 0.1, std: 0 }],
  ])('%s', (_reason, values, expected) => {
    expect(summarize(values)).toEqual(expected);
  });
});
