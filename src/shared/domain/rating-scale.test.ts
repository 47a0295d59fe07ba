import { describe, expect, it } from 'vitest';
import { rewardToStars, starsToReward } from './rating-scale';

describe('starsToReward', () => {
  it.each([
    [1, -1],
    [2, -0.5],
    [3, 0],
    [4, 0.5],
    [5, 1],
  ] as const)('%i stars are a reward of %d', (stars, reward) => {
    expect(starsToReward(stars)).toBe(reward);
    expect(rewardToStars(reward)).toBe(stars);
  });
});

describe('rewardToStars', () => {
  it.each([
    ['above the scale', 1.5],
    ['below the scale', -1.5],
    ['between two stars', 0.2],
    ['not a number', Number.NaN],
  ])('knows no star for a reward %s', (_reason, reward) => {
    expect(rewardToStars(reward)).toBeNull();
  });
});
