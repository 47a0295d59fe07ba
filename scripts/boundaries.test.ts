import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBoundaries, config, sourceFiles } from './boundaries.mjs';

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** Rule → the file that breaks it, and what that file imports (a path under src, or a package). */
const PLANTS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'no-cycles': ['gateway/groups/circle-a.ts', 'gateway/groups/circle-b.ts'],
  'shared-stands-alone': ['shared/lib/a.ts', 'node:fs'],
  'shared-lib-is-lowest': ['shared/lib/b.ts', 'shared/domain/x.ts'],
  'shared-domain-below-wire': ['shared/domain/c.ts', 'shared/wire/x.ts'],
  'shared-wire-below-ipc': ['shared/wire/d.ts', 'shared/ipc/x.ts'],
  'electron-only-in-desktop': ['main/settings/a.ts', 'electron'],
  'gateway-knows-no-host': ['gateway/actions/a.ts', 'supervisor/x.ts'],
  'gateway-rules-are-pure': ['gateway/staleness/a.ts', 'gateway/groups/x.ts'],
  'node-only-in-platform': ['gateway/actions/b.ts', 'node:fs'],
  'gateway-platform-is-lowest': ['gateway/platform/a.ts', 'gateway/store/x.ts'],
  'gateway-ports-below-sessions': ['gateway/backends/a.ts', 'gateway/sessions/x.ts'],
  'gateway-sessions-below-actions': ['gateway/sessions/a.ts', 'gateway/actions/x.ts'],
  'gateway-actions-below-http': ['gateway/actions/c.ts', 'gateway/http/x.ts'],
  'gateway-roots-are-top': ['gateway/http/a.ts', 'gateway/compose.ts'],
  'hosts-use-gateway-door': ['main/a.ts', 'gateway/actions/x.ts'],
  'supervisor-is-plain-node': ['supervisor/a.ts', 'gateway/compose.ts'],
  'studio-below-hosts': ['studio/a.ts', 'main/x.ts'],
  'hosts-are-islands': ['headless/a.ts', 'main/x.ts'],
  'programs-stand-alone': ['embedded/engine/a.ts', 'gateway/compose.ts'],
  'tensor-library-only-in-model': ['embedded/engine/b.ts', '@jax-js/jax'],
  'sql-only-in-store': ['gateway/actions/d.ts', 'libsql'],
  'renderer-is-web-only': ['renderer/app/a.ts', 'node:fs'],
  'renderer-sees-only-shared': ['renderer/app/b.ts', 'supervisor/x.ts'],
  'renderer-floors': ['renderer/components/a.ts', 'renderer/features/one/index.ts'],
  'components-are-dumb': ['renderer/components/b.ts', 'renderer/data/x.ts'],
  'features-below-app': ['renderer/features/one/a.ts', 'renderer/app/x.ts'],
  'features-are-islands': ['renderer/features/one/b.ts', 'renderer/features/two/index.ts'],
  'features-through-index': ['renderer/app/c.ts', 'renderer/features/one/x.ts'],
  'preload-is-tiny': ['preload/a.ts', 'shared/domain/x.ts'],
  'no-dep-on-test': ['gateway/http/b.ts', 'gateway/http/x.test.ts'],
};

/** Imports that each floor is meant to make. */
const ALLOWED: readonly (readonly [from: string, to: string])[] = [
  ['shared/ipc/ok.ts', 'shared/wire/x.ts'],
  ['gateway/groups/ok.ts', 'shared/domain/x.ts'],
  ['gateway/http/ok.ts', 'gateway/actions/x.ts'],
  ['gateway/platform/ok.ts', 'node:fs'],
  ['gateway/store/ok.ts', 'libsql'],
  ['gateway/http/ok.test.ts', 'node:fs'],
  ['studio/ok.ts', 'gateway/compose.ts'],
  ['studio/ok-too.ts', 'supervisor/x.ts'],
  ['main/desktop/ok.ts', 'electron'],
  ['main/ok.ts', 'studio/x.ts'],
  ['embedded/model/ok.ts', '@jax-js/jax'],
  ['renderer/app/ok.ts', 'renderer/features/one/index.ts'],
  ['renderer/features/one/ok.ts', 'renderer/components/x.ts'],
  ['preload/ok.ts', 'shared/ipc/channels.ts'],
];

describe('the boundaries', () => {
  let root: string;
  let violations: readonly Violation[];
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'boundaries-'));
    const planted = [...Object.values(PLANTS), ...ALLOWED];
    for (const [from, to] of planted) write(root, from, importLine(from, to));
    write(root, 'gateway/groups/circle-b.ts', importLine('gateway/groups/circle-b.ts', 'gateway/groups/circle-a.ts'));
    const targets = planted.map(([, to]) => to).filter((to) => to.endsWith('.ts') && !to.includes('circle'));
    for (const target of new Set(targets)) write(root, target, 'export const x = 1;\n');
    ({ violations } = (await checkBoundaries(root)) as { violations: readonly Violation[] });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('has a planted violation for every rule', () => {
    const rules = (config as { forbidden: { name: string; comment: string }[] }).forbidden;
    expect(rules.map((rule) => rule.name).sort()).toEqual(Object.keys(PLANTS).sort());
    expect(rules.filter((rule) => rule.comment === '')).toEqual([]);
  });

  it.each(Object.entries(PLANTS))('%s is seen when it is broken', (rule, [from]) => {
    expect(violations.filter((violation) => violation.from === `src/${from}`).map((each) => each.rule)).toContain(rule);
  });

  it.each(ALLOWED)('%s may import %s', (from) => {
    expect(violations.filter((violation) => violation.from === `src/${from}`)).toEqual([]);
  });

  it('counts a type import too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'boundaries-types-'));
    write(folder, 'main/x.ts', 'export type X = 1;\n');
    write(folder, 'studio/a.ts', "import type { X } from '../main/x';\nexport type Y = X;\n");
    const found = (await checkBoundaries(folder)) as { violations: readonly Violation[] };
    rmSync(folder, { recursive: true, force: true });
    expect(found.violations.map((each) => each.rule)).toContain('studio-below-hosts');
  });

  it('tells the files that the parser did not look at', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'boundaries-unseen-'));
    write(folder, 'shared/a.ts', 'export const x = 1;\n');
    write(folder, 'shared/b.cts', 'export const x = 1;\n');
    expect(sourceFiles(folder).sort()).toEqual(['src/shared/a.ts', 'src/shared/b.cts']);
    const { unseen, modules } = (await checkBoundaries(folder)) as { unseen: string[]; modules: number };
    rmSync(folder, { recursive: true, force: true });
    expect(modules + unseen.length).toBe(2);
  });
});

function write(root: string, file: string, text: string): void {
  const path = join(root, 'src', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function importLine(from: string, to: string): string {
  const isFile = to.endsWith('.ts');
  const up = '../'.repeat(from.split('/').length - 1);
  const path = isFile ? `${up === '' ? './' : up}${to.replace(/\.ts$/, '')}` : to;
  return `import * as x from '${path}';\nexport const y = x;\n`;
}
