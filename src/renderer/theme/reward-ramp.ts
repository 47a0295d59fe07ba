import { type ColorScheme, mix } from './version-ramp';

const ends = {
  light: { negative: '#c05a00', zero: '#8a929a', positive: '#1f5fb0' },
  dark: { negative: '#f0a050', zero: '#7d868f', positive: '#7fb2f5' },
} as const;

/** Diverging orange (negative) ↔ grey (zero) ↔ blue (positive); `limit` is the magnitude of the full colour. */
export function rewardColor(reward: number, scheme: ColorScheme, limit = 1): string {
  const { negative, zero, positive } = ends[scheme];
  const share = Math.min(Math.abs(reward) / limit, 1);
  // Sparing the last third of grey keeps a small non-zero reward apart from zero.
  return reward === 0 ? zero : mix(zero, reward < 0 ? negative : positive, 0.35 + 0.65 * share);
}
