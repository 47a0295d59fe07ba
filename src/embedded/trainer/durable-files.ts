import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Replaces a file so that a reader, and a restart after a power cut, sees the old bytes or the new ones, never a mixture. */
export async function replaceFile(path: string, bytes: Uint8Array | string): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const temporary = join(folder, `.${basename(path)}.tmp`);
  await writeFlushed(temporary, bytes);
  await rename(temporary, path);
  await flushFolder(folder);
}

/** Writes a file and flushes it to disk; not atomic by itself. */
export async function writeFlushed(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Fills a neighbour folder, then renames it into place: the folder appears whole or not at all. */
export async function createFolder(path: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const parent = dirname(path);
  await makeFolder(parent);
  const temporary = join(parent, `.${basename(path)}.tmp`);
  await rm(temporary, { recursive: true, force: true });
  await fill(temporary);
  await flushFolder(temporary);
  // a leftover of the same name was never committed: HEAD does not name it
  await rm(path, { recursive: true, force: true });
  await rename(temporary, path);
  await flushFolder(parent);
}

/** Creates a folder and those on the way to it, each of them entered in its parent on the disk. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  const above = dirname(first);
  for (let folder = dirname(path); folder !== above; folder = dirname(folder)) await flushFolder(folder);
  await flushFolder(above);
}

/** Makes renames inside a folder durable. Windows cannot open folders, and needs no such flush. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync().catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EPERM' && cause.code !== 'EISDIR' && cause.code !== 'EINVAL') throw cause;
    });
  } finally {
    await handle.close();
  }
}

/** Lower-case hex, as manifests and weights.json carry it. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** True for "there is no such file"; every other error is for the caller to pass on. */
export function isAbsent(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}
