import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Head } from '../../shared/wire/trainer';
import { expendableWeights, pruneOldVersions, sweepUncommitted } from './retention';
import { versionFolder } from './run-directory';

const names = (from: number, to: number, incarnation = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ version: from + i, incarnation }));

async function makeFolders(
  kind: 'weights' | 'ckpt',
  versions: readonly (readonly [number, number])[],
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'plaudit-retention-'));
  for (const [version, incarnation] of versions)
    await mkdir(join(root, versionFolder(kind, { version, incarnation })), { recursive: true });
  return root;
}

const head = (version: number, incarnation = 0): Head => ({
  schema: 'rlt/1',
  run_id: 'run',
  version,
  incarnation,
  last_batch: version,
  batch_sha: null,
  ckpt: versionFolder('ckpt', { version, incarnation }),
  weights: versionFolder('weights', { version, incarnation }),
  status: 'trained',
  dropped: [],
});

describe('expendableWeights', () => {
  it.each([
    ['the last six stay', names(1, 8), { version: 8, incarnation: 0 }, [1, 2]],
    ['six or fewer all stay', names(1, 6), { version: 6, incarnation: 0 }, []],
    ['every tenth stays', names(8, 21), { version: 21, incarnation: 0 }, [8, 9, 11, 12, 13, 14, 15]],
    [
      'both incarnations of a recent version stay',
      [...names(1, 6), ...names(6, 6, 1)],
      { version: 6, incarnation: 1 },
      [],
    ],
    ['HEAD’s stay even when newer ones lie there', names(1, 9), { version: 2, incarnation: 0 }, [1, 3]],
  ])('%s', (_reason, all, current, expected) => {
    expect(expendableWeights(all, current).map(({ version }) => version)).toEqual(expected);
  });
});

describe('pruneOldVersions', () => {
  it('keeps two states, HEAD’s among them', async () => {
    const root = await makeFolders('ckpt', [
      [1, 0],
      [2, 0],
      [3, 0],
      [3, 1],
    ]);
    await pruneOldVersions(root, head(3, 1));
    expect((await readdir(join(root, 'ckpt'))).sort()).toEqual(['v000003.i0', 'v000003.i1']);
  });
});

describe('sweepUncommitted', () => {
  it('deletes what HEAD never reached and half-written folders, and nothing else', async () => {
    const root = await makeFolders('weights', [
      [1, 0],
      [2, 0],
      [2, 1],
      [3, 0],
    ]);
    await mkdir(join(root, 'weights/.v000004.i0.tmp'));
    await mkdir(join(root, 'weights/of-a-person'));
    await sweepUncommitted(root, head(2, 0));
    expect((await readdir(join(root, 'weights'))).sort()).toEqual(['of-a-person', 'v000001.i0', 'v000002.i0']);
  });
});
