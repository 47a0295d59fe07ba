import type { Status } from '../../shared/wire/rl';
import { type ColorScheme, mix, type VersionRange, versionColor } from '../theme/version-ramp';
import { contrastRatio } from './contrast';

/** Ink and surface of the text that gets tinted; equal to `--pl-ink` and `--pl-surface` (a test holds them together). */
export const textColors = {
  light: { ink: '#1b2026', surface: '#ffffff' },
  dark: { ink: '#e6e9ec', surface: '#1b1f23' },
} as const;

// As strong as the theme's ink still allows for every version: the contrast test walks the whole ramp.
const tintShare = { light: 0.36, dark: 0.38 } as const;

/** Background for text sampled by a version: the version's colour, thinned until ordinary ink reads on it. */
export function versionTint(version: number, range: VersionRange, scheme: ColorScheme): string {
  const { surface } = textColors[scheme];
  return mix(surface, versionColor(version, range, scheme), version < 0 ? 0.16 : tintShare[scheme]);
}

/** Black or white, whichever reads better on a full-strength version colour. */
export function inkOnVersion(version: number, range: VersionRange, scheme: ColorScheme): string {
  const color = versionColor(version, range, scheme);
  return contrastRatio(color, '#000000') >= contrastRatio(color, '#ffffff') ? '#000000' : '#ffffff';
}

/** Versions that get a colour of their own. Over more, neighbours would look alike; older ones share the oldest colour. */
const SPAN = 16;

/** The ramp up to a newest version: it alone decides, so that a version has one colour on every screen of a run. */
export function rangeUpTo(newest: number): VersionRange {
  return { oldest: Math.max(newest - SPAN, 0), newest: Math.max(newest, 0) };
}

/** The ramp over the versions of a source; versions below 0 (unknown) do not count. */
export const versionRange = (versions: Iterable<number>): VersionRange => {
  let newest = 0;
  for (const version of versions) newest = Math.max(newest, version);
  return rangeUpTo(newest);
};

/** The newest version that a run is known to have: trained, or served by an engine that was ahead. */
export const newestOf = (status: Pick<Status, 'trained_version' | 'served_version'> | undefined): number =>
  Math.max(status?.trained_version ?? 0, status?.served_version ?? 0);
