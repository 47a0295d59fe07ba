/** Stars 1..5 → −1..1 in steps of 0.5: (stars − 3) / 2. */
export const starsToReward = (stars: 1 | 2 | 3 | 4 | 5): number => (stars - 3) / 2;

/** The star a reward shows as, or null when it is off the scale (a script's reward). */
export function rewardToStars(reward: number): 1 | 2 | 3 | 4 | 5 | null {
  const stars = reward * 2 + 3;
  return stars === 1 || stars === 2 || stars === 3 || stars === 4 || stars === 5 ? stars : null;
}
