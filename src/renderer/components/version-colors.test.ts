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
    ['unknown does not stretch the ramp', [5, -1, 7], { oldest: 5, newest: 7 }],
  ])('%s', (_reason, input, expected) => {
    expect(versionRange(input)).toEqual(expected);
  });
});
