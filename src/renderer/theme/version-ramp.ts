export type ColorScheme = 'light' | 'dark';

/** Versions from one end of a ramp to the other. With more, neighbours would look alike. */
const RAMP_LENGTH = 6;

// Viridis and plasma, five stops each, dark to light. Both themes cut the end that would sink into their surface, and
// the dark one the yellow in which both ramps end.
const ramps = [
  { stops: ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'], light: [0.8, 0.12], dark: [0.33, 0.95] },
  { stops: ['#0d0887', '#7e03a8', '#cc4778', '#f89540', '#f0f921'], light: [0.8, 0.12], dark: [0.3, 0.8] },
] as const;
const unknownColor = { light: '#9aa3ab', dark: '#6b747d' } as const;

/** Versions until a colour comes again. */
export const COLORED_VERSIONS = RAMP_LENGTH * ramps.length;

/**
 * Colour of a policy version: six steps away from the surface, then six on another ramp, then from the start.
 *
 * The version alone decides, never the newest one: what a person remembers as green stays green while training goes on.
 * Light theme runs light → dark, dark theme dark → light. −1 (not sampled by the policy, or unknown) is grey.
 */
export function versionColor(version: number, scheme: ColorScheme): string {
  if (version < 0) return unknownColor[scheme];
  const ramp = ramps[Math.floor(version / RAMP_LENGTH) % ramps.length]!; // a remainder by the length is an index
  const [from, to] = ramp[scheme];
  return along(ramp.stops, from + ((to - from) * (version % RAMP_LENGTH)) / (RAMP_LENGTH - 1));
}

function along(stops: readonly string[], position: number): string {
  const at = position * (stops.length - 1);
  const from = Math.min(Math.floor(at), stops.length - 2);
  // Both indices are within the stops: positions are from 0 to 1.
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
