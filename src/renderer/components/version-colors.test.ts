import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COLORED_VERSIONS, type ColorScheme, versionColor } from '../theme/version-ramp';
import { contrastRatio, luminance } from './contrast';
import { inkOnVersion, textColors, versionTint } from './version-colors';

const RAMP = COLORED_VERSIONS / 2;
const versions = [-1, ...Array.from({ length: COLORED_VERSIONS }, (_, index) => index)];
const schemes: readonly ColorScheme[] = ['light', 'dark'];

describe('contrastRatio', () => {
  it.each([
    ['black on white', '#000000', '#ffffff', 21],
    ['a colour on itself', '#3b528b', '#3b528b', 1],
    // #767676 on white is the well-known lightest grey that passes 4.5:1
    ['the lightest passing grey', '#767676', '#ffffff', 4.54],
  ])('%s', (_reason, first, second, expected) => {
    expect(contrastRatio(first, second)).toBeCloseTo(expected, 2);
  });
});

describe.each(schemes)('version colours, %s', (scheme) => {
  it('keeps text on every tint at 4.5:1 or more', () => {
    for (const version of versions) {
      const ratio = contrastRatio(versionTint(version, scheme), textColors[scheme].ink);
      expect(ratio, `v${version}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('keeps the number on every strip run at 4.5:1 or more', () => {
    for (const version of versions) {
      const ratio = contrastRatio(versionColor(version, scheme), inkOnVersion(version, scheme));
      expect(ratio, `v${version}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each([0, RAMP])('moves further from the surface with every newer version of the ramp from v%i', (first) => {
    const distances = Array.from({ length: RAMP }, (_, index) => {
      const color = versionColor(first + index, scheme);
      return Math.abs(luminance(color) - luminance(textColors[scheme].surface));
    });
    for (const [index, distance] of distances.entries()) {
      if (index > 0) expect(distance, `v${first + index}`).toBeGreaterThan(distances[index - 1]!);
    }
  });

  it.each([0, RAMP])('steps evenly along the ramp from v%i', (first) => {
    const steps = Array.from({ length: RAMP - 1 }, (_, index) =>
      oklabDistance(versionColor(first + index, scheme), versionColor(first + index + 1, scheme)),
    );
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(1.9);
  });

  // 0.02 in OKLab is about where two patches side by side are seen to differ.
  it('sets every two versions of one round apart, as swatches and as tints', () => {
    for (const a of versions) {
      for (const b of versions.filter((each) => each > a)) {
        const pair = `v${a} v${b}`;
        expect(oklabDistance(versionColor(a, scheme), versionColor(b, scheme)), pair).toBeGreaterThan(0.05);
        expect(oklabDistance(versionTint(a, scheme), versionTint(b, scheme)), pair).toBeGreaterThan(0.02);
      }
    }
  });

  it.each([0, RAMP - 1, RAMP])('comes back to the colour of v%i after a whole round', (version) => {
    expect(versionColor(version + COLORED_VERSIONS, scheme)).toBe(versionColor(version, scheme));
  });

  it('uses the ink and surface of the theme', () => {
    const css = readFileSync(fileURLToPath(new URL('../theme/tokens.css', import.meta.url)), 'utf8');
    const block = css.slice(css.search(new RegExp(`data-mantine-color-scheme=.${scheme}`)));
    expect(/--pl-ink: (#\w{6})/.exec(block)?.[1]).toBe(textColors[scheme].ink);
    expect(/--pl-surface: (#\w{6})/.exec(block)?.[1]).toBe(textColors[scheme].surface);
  });
});

/** Perceived difference of two `#rrggbb` colours. Source: Björn Ottosson, "A perceptual color space", 2020 (OKLab). */
function oklabDistance(first: string, second: string): number {
  const [a, b] = [oklab(first), oklab(second)];
  return Math.hypot(...a.map((value, index) => value - b[index]!));
}

function oklab(color: string): number[] {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
