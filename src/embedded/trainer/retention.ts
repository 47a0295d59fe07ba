import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Head } from '../../shared/wire/trainer';
import { isAbsent } from './durable-files';
import { compareVersions, type VersionName } from './run-directory';
import { listVersionFolders } from './training-state';

/** Weights kept besides the landmarks: what may still be served, and a few to go back to. */
const KEPT_WEIGHTS = 6;
const LANDMARK_EVERY = 10;
/** The one in use and the one before, for when it is damaged. */
const KEPT_STATES = 2;

/** Which of the folders, oldest first, may go. Pure, so that it can be tested as a table. */
export function expendableWeights(names: readonly VersionName[], head: VersionName): VersionName[] {
  const versions = [...new Set(names.map((name) => name.version))].sort((a, b) => a - b);
  const recent = new Set(versions.slice(-KEPT_WEIGHTS));
  return names.filter(
    (name) => !recent.has(name.version) && name.version % LANDMARK_EVERY !== 0 && compareVersions(name, head) !== 0,
  );
}

/** Deletes old weights and states. What is deleted is named by nothing: HEAD's own folders always stay. */
export async function pruneOldVersions(root: string, head: Head): Promise<void> {
  const weights = await listVersionFolders(root, 'weights');
  const old = new Set(
    expendableWeights(
      weights.map(({ name }) => name),
      head,
    ),
  );
  for (const { relative, name } of weights) if (old.has(name)) await remove(root, relative);
  const states = await listVersionFolders(root, 'ckpt');
  for (const { relative } of states.slice(0, -KEPT_STATES)) if (relative !== head.ckpt) await remove(root, relative);
}

/** Deletes what a crash left behind: temporary files, and folders of versions that HEAD never reached. */
export async function sweepUncommitted(root: string, head: Head): Promise<void> {
  for (const kind of ['weights', 'ckpt'] as const) {
    for (const { relative, name } of await listVersionFolders(root, kind)) {
      if (compareVersions(name, head) > 0) await remove(root, relative);
    }
    for (const name of await namesIn(join(root, kind))) {
      if (name.startsWith('.') && name.endsWith('.tmp')) await remove(root, `${kind}/${name}`);
    }
  }
}

async function remove(root: string, relative: string): Promise<void> {
  await rm(join(root, relative), { recursive: true, force: true });
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((cause) => {
    if (isAbsent(cause)) return [];
    throw cause;
  });
}
