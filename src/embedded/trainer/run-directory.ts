import { join } from 'node:path';
import { batchName } from '../../shared/wire/trainer';

/** Where things are in a run directory; one writer per subtree: the studio run.json, spool, skip; the trainer the rest. */
export const runPaths = {
  run: (root: string) => join(root, 'run.json'),
  head: (root: string) => join(root, 'state', 'HEAD.json'),
  history: (root: string) => join(root, 'state', 'history.jsonl'),
  settings: (root: string) => join(root, 'state', 'settings.json'),
  events: (root: string) => join(root, 'events.jsonl'),
  lock: (root: string) => join(root, 'lock'),
  spool: (root: string, batchId: number) => join(root, 'spool', batchName(batchId)),
  skip: (root: string, batchId: number) => join(root, 'skip', `${batchName(batchId)}.json`),
} as const;

/** Folder of one version's weights or training state, relative to the run directory, with forward slashes on every system. */
export function versionFolder(kind: 'weights' | 'ckpt', { version, incarnation }: VersionName): string {
  return `${kind}/v${String(version).padStart(6, '0')}.i${incarnation}`;
}

/** Names exact bits: a version that is made again after damage gets the next incarnation. */
export interface VersionName {
  readonly version: number;
  readonly incarnation: number;
}

/** Reads `v000043.i0`; null for any other name. */
export function parseVersionFolder(name: string): VersionName | null {
  const match = /^v(\d{6,})\.i(\d+)$/.exec(name);
  return match === null ? null : { version: Number(match[1]), incarnation: Number(match[2]) };
}

/** Order of making: by version, then by incarnation. */
export function compareVersions(a: VersionName, b: VersionName): number {
  return a.version - b.version || a.incarnation - b.incarnation;
}
