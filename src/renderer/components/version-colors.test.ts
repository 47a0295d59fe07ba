import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ColorScheme, versionColor } from '../theme/version-ramp';
import { contrastRatio, luminance } from './contrast';
import { inkOnVersion, textColors, versionRange, versionTint } from './version-colors';

const range = { oldest: 0, newest: 40 };
const versions = [-1, ...Array.from({ length: 41 }, (_, index) => index)];
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
      const ratio = contrastRatio(versionTint(version, range, scheme), textColors[scheme].ink);
      expect(ratio, `v${version}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('keeps the number on every strip run at 4.5:1 or more', () => {
    for (const version of versions) {
      const ratio = contrastRatio(versionColor(version, range, scheme), inkOnVersion(version, range, scheme));
      expect(ratio, `v${version}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('moves further from the surface with every newer version', () => {
    const distances = versions.slice(1).map((version) => {
      const color = versionColor(version, range, scheme);
      return Math.abs(luminance(color) - luminance(textColors[scheme].surface));
    });
    for (const [index, distance] of distances.entries()) {
      if (index > 0) expect(distance, `v${index}`).toBeGreaterThan(distances[index - 1]!);
    }
  });

  it('steps evenly: no version differs from the next by much more than another', () => {
    const few = { oldest: 0, newest: 12 };
    const steps = Array.from({ length: 12 }, (_, version) =>
      oklabDistance(versionColor(version, few, scheme), versionColor(version + 1, few, scheme)),
    );
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(1.5);
  });

  it('gives neighbouring versions tints that differ', () => {
    const few = { oldest: 3, newest: 6 };
    const tints = [3, 4, 5, 6].map((version) => versionTint(version, few, scheme));
    expect(new Set(tints).size).toBe(4);
  });

  it('uses the ink and surface of the theme', () => {
    const css = readFileSync(fileURLToPath(new URL('../theme/tokens.css', import.meta.url)), 'utf8');
    const block = css.slice(css.search(new RegExp(`data-mantine-color-scheme=.${scheme}`)));
    expect(/--pl-ink: (#\w{6})/.exec(block)?.[1]).toBe(textColors[scheme].ink);
    expect(/--pl-surface: (#\w{6})/.exec(block)?.[1]).toBe(textColors[scheme].surface);
  });
});

describe('versionRange', () => {
  it.each([
    ['nothing known', [-1, -1], { oldest: 0, newest: 0 }],
    ['nothing at all', [], { oldest: 0, newest: 0 }],
    ['unknown does not stretch the ramp', [5, -1, 7], { oldest: 0, newest: 7 }],
    ['the versions in sight do not move it', [7], { oldest: 0, newest: 7 }],
    ['the newest have colours of their own', [40, 3], { oldest: 24, newest: 40 }],
  ])('%s', (_reason, input, expected) => {
    expect(versionRange(input)).toEqual(expected);
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
