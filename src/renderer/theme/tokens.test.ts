import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contrastRatio } from '../components/contrast';

const css = readFileSync(fileURLToPath(new URL('./tokens.css', import.meta.url)), 'utf8');

function tokensOf(scheme: 'light' | 'dark'): Readonly<Record<string, string>> {
  const block = new RegExp(`\\[data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return Object.fromEntries(
    [...block.matchAll(/--pl-([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  );
}

const surfaces = ['canvas', 'surface', 'sunken', 'hover', 'accent-soft'];
const tones = ['good', 'warn', 'bad', 'busy'];
/** Every ink with every ground that a style sheet lays it on. */
const pairs = [
  ...['ink', 'ink-2'].flatMap((ink) =>
    [...surfaces, ...tones.map((tone) => `${tone}-soft`)].map((ground) => [ink, ground]),
  ),
  ...surfaces.map((ground) => ['ink-3', ground]),
  ...['warn-soft', 'bad-soft'].map((ground) => ['ink-3', ground]),
  ...tones.flatMap((tone) => ['canvas', 'surface', 'hover', `${tone}-soft`].map((ground) => [tone, ground])),
  ...['canvas', 'surface'].map((ground) => ['accent', ground]),
  ['accent-ink', 'accent'],
] as [string, string][]; // each made of two names

describe.each(['light', 'dark'] as const)('the %s theme', (scheme) => {
  const tokens = tokensOf(scheme);

  it.each(pairs)('%s is readable on %s', (ink, ground) => {
    expect(contrastRatio(tokens[ink] ?? '', tokens[ground] ?? '')).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['canvas', 'surface'])('the ring of the focus is seen on %s', (ground) => {
    expect(contrastRatio(tokens.accent ?? '', tokens[ground] ?? '')).toBeGreaterThanOrEqual(3);
  });
});
