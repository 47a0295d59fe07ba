export type ColorScheme = 'light' | 'dark';

/** The versions in sight; the ramp is stretched over them. */
export interface VersionRange {
  readonly oldest: number;
  readonly newest: number;
}

// Viridis, five stops, dark to light. Its ends are cut so that both themes keep contrast with their surface.
const stops = ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'] as const;
const unknownColor = { light: '#9aa3ab', dark: '#6b747d' } as const;

/**
 * Colour of a policy version: an ordered ramp whose newest end stands out most from the surface.
 *
 * Light theme runs light → dark, dark theme dark → light. −1 (not sampled by the policy, or unknown) is grey.
 */
export function versionColor(version: number, range: VersionRange, scheme: ColorScheme): string {
  if (version < 0) return unknownColor[scheme];
  const span = Math.max(range.newest - range.oldest, 1);
  const age = Math.min(Math.max((range.newest - version) / span, 0), 1);
  return scheme === 'light' ? viridis(0.12 + age * 0.68) : viridis(0.95 - age * 0.62);
}

function viridis(position: number): string {
  const at = Math.min(Math.max(position, 0), 1) * (stops.length - 1);
  const from = Math.min(Math.floor(at), stops.length - 2);
  // Both indices are within the five stops by the clamps above.
  return mix(stops[from]!, stops[from + 1]!, at - from);
}

/** Linear mix of two `#rrggbb` colours. */
export function mix(from: string, to: string, share: number): string {
  const channel = (index: number): string => {
    const a = Number.parseInt(from.slice(index, index + 2), 16);
    const b = Number.parseInt(to.slice(index, index + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
