import { type ColorScheme, mix, versionColor } from '../theme/version-ramp';
import { contrastRatio } from './contrast';

/** Ink and surface of the text that gets tinted; equal to `--pl-ink` and `--pl-surface` (a test holds them together). */
export const textColors = {
  light: { ink: '#1b2026', surface: '#ffffff' },
  dark: { ink: '#e6e9ec', surface: '#1b1f23' },
} as const;

// As strong as the theme's ink still allows for every version: the contrast test walks the whole ramp.
const tintShare = { light: 0.36, dark: 0.38 } as const;

/** Background for text sampled by a version: the version's colour, thinned until ordinary ink reads on it. */
export function versionTint(version: number, scheme: ColorScheme): string {
  const { surface } = textColors[scheme];
  return mix(surface, versionColor(version, scheme), version < 0 ? 0.16 : tintShare[scheme]);
}

/** Black or white, whichever reads better on a full-strength version colour. */
export function inkOnVersion(version: number, scheme: ColorScheme): string {
  const color = versionColor(version, scheme);
  return contrastRatio(color, '#000000') >= contrastRatio(color, '#ffffff') ? '#000000' : '#ffffff';
}
