import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { knownRemedy, remedyOf } from './trouble';

const sources = fileURLToPath(new URL('../..', import.meta.url));

/** Where trouble is made, and how a kind is written there; `named` turns what is found into the kind on the wire. */
const makers: readonly { folder: string; pattern: RegExp; named: (found: string) => string }[] = [
  // an object with the three fields of a trouble, wherever it stands
  {
    folder: 'gateway',
    pattern: /kind: ['`]([^'`]+)['`],?\s+(?:message\b[\s\S]{0,400}?advice\b|\.\.\.sentences)/g,
    named: (kind) => kind.replace(/-\$\{batchId\}$/, '-7'),
  },
  { folder: 'studio', pattern: /kind: ['`]([^'`]+)['`],\s+message\b[\s\S]{0,400}?advice\b/g, named: (kind) => kind },
  { folder: 'main', pattern: /kind: ['`]([^'`]+)['`],\s+message\b[\s\S]{0,400}?advice\b/g, named: (kind) => kind },
  // one of two, chosen in the line above the object
  {
    folder: 'gateway/actions',
    pattern: /const kind =[^;]*\? '([^']+)' : '[^']+';\s+return \{ kind, message[^}]*advice/g,
    named: (kind) => kind,
  },
  {
    folder: 'gateway/actions',
    pattern: /const kind =[^;]*\? '[^']+' : '([^']+)';\s+return \{ kind, message[^}]*advice/g,
    named: (kind) => kind,
  },
  { folder: 'gateway/actions', pattern: /#report\(\s*'([^']+)'/g, named: (kind) => kind },
  { folder: 'gateway/trainer', pattern: /problem: \{ kind: '([^']+)'/g, named: (kind) => kind },
  { folder: 'gateway/trainer', pattern: /return \{ kind: '([^']+)', message \}/g, named: (kind) => kind },
  { folder: 'studio', pattern: /new StudioError\(\s*'([^']+)'/g, named: (kind) => kind },
  { folder: 'studio', pattern: /kind = `\$\{status\.name\}-([a-z-]+)`/g, named: (state) => `engine-${state}` },
  { folder: 'studio', pattern: /kind = `\$\{status\.name\}-([a-z-]+)`/g, named: (state) => `trainer-${state}` },
  // the trainer's error codes
  { folder: 'embedded/trainer', pattern: /code: '([a-z_]+)'/g, named: (code) => `trainer-${code}` },
];
/** These codes go with `type: 'warn'`, which the gateway logs and does not show. */
const warnings = ['trainer-checkpoint_fallback', 'trainer-gradient_refused', 'trainer-bad_override'];

function filesOf(folder: string): string[] {
  return readdirSync(join(sources, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => join(sources, folder, name));
}

function kindsOf({ folder, pattern, named }: (typeof makers)[number]): string[] {
  const found = filesOf(folder).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map((match) => named(match[1]!)),
  );
  return found.filter((kind) => !/\$\{/.test(kind) && !warnings.includes(kind));
}

const kinds = [...new Set(makers.flatMap(kindsOf))].sort();

describe('every kind of trouble that the programs report', () => {
  it('is found by every pattern above, so that none of them can go blind', () => {
    for (const maker of makers) expect(kindsOf(maker), `${maker.folder} ${maker.pattern}`).not.toEqual([]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        'database-recovered',
        'batch-set-aside-7',
        'publish-refused',
        'run-behind',
        'dump-failed',
      ]),
    );
  });

  it.each(kinds)('%s has a button chosen for it', (kind) => {
    expect(knownRemedy(kind)).not.toBeNull();
  });
});

describe('remedyOf', () => {
  it.each([
    ['database-recovered', 'note-recovery'],
    ['batch-set-aside-12', 'training'],
    ['trainer-disk', 'show-data'],
    ['trainer-divergence', 'settings'],
    ['trainer-crash', 'restart-trainer'],
    ['trainer-failed', 'restart-trainer'],
    ['engine-failed', 'restart-engine'],
    ['publish-refused', 'restart-engine'],
    ['weights-damaged', 'show-data'],
    ['foreign-batch', 'show-data'],
    ['run-behind', 'show-data'],
    ['dump-failed', 'show-dump'],
    ['settings-file', 'settings'],
    ['studio-start', 'show-logs'],
  ])('%s → %s', (kind, remedy) => {
    expect(remedyOf(kind)).toBe(remedy);
  });

  it.each([
    ['disk-slow', 'show-data'],
    ['dump-unwritable', 'show-dump'],
    ['trainer-of-another-make', 'restart-trainer'],
    ['backend-odd', 'restart-engine'],
    ['port-in-use', 'settings'],
    ['something-new', 'training'],
  ])('goes by the subject of an unknown kind: %s → %s', (kind, remedy) => {
    expect(knownRemedy(kind)).toBeNull();
    expect(remedyOf(kind)).toBe(remedy);
  });
});
