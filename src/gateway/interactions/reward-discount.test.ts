import { describe, expect, it } from 'vitest';
import { creditRewards, discountRewards } from './reward-discount';

describe('discountRewards', () => {
  it.each([
    ['AReaL worked example, γ 0.9', [null, 0.2, null, 1], 0.9, [0.909, 1.01, 0.9, 1]],
    ['γ 1 gives suffix sums', [1, 2, 3], 1, [6, 5, 3]],
    ['γ 0 changes nothing but the unset', [1, null, 3], 0, [1, 0, 3]],
    ['no interactions', [], 1, []],
    ['negative rewards', [-1, 1], 0.5, [-0.5, 1]],
  ])('%s', (_name, rewards, gamma, expected) => {
    const actual = discountRewards(rewards, gamma);
    expect(actual).toHaveLength(expected.length);
    actual.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k] ?? Number.NaN, 12);
    });
  });
});

describe('creditRewards', () => {
  it.each([
    ['after the last rating nothing is known', [null, 1, null], 1, [1, 1, null]],
    ['an unrated session has no credit', [null, null], 1, [null, null]],
    ['γ 0: only own ratings', [null, 1, null], 0, [null, 1, null]],
    ['a rating of 0 is a rating', [null, 0, null], 0.5, [0, 0, null]],
  ])('%s', (_name, rewards, gamma, expected) => {
    expect(creditRewards(rewards, gamma)).toEqual(expected);
  });
});
