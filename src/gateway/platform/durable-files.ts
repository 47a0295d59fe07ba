import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeSyncedFolder, syncFolder } from './synced-folders';

/**
 * Files whose content must survive a crash as a whole; the port of everything that writes run folders and dumps.
 *
 * A write that resolved is on disk (file and folder entry synced). Failures reject with Node's error and its code.
 */
export interface DurableFiles {
  /** null when there is no such file */
  read(path: string): Promise<Uint8Array | null>;
  /** At most `length` bytes from `offset`; null when there is no such file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array | null>;
  /** bytes, or null when there is no such file */
  size(path: string): Promise<number | null>;
  exists(path: string): Promise<boolean>;
  /** Old content or new, never a part. Creates the folder. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** A folder that appears whole: written as `<path>.tmp`, synced, renamed. `path` must not exist. */
  publishFolder(path: string, files: readonly (readonly [name: string, bytes: Uint8Array])[]): Promise<void>;
  /** Moves a file or folder away; nothing happens when there is none. */
  moveAside(path: string, to: string): Promise<void>;
  /** Creates file and folder when missing. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  /** lower-case hex; null when there is no such file */
  sha256(path: string): Promise<string | null>;
}

/** SHA-256 of bytes in memory, lower-case hex. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The real disk. */
export const durableFiles: DurableFiles = {
  read: (path) => unlessMissing(() => readFile(path)),
  readRange: (path, offset, length) => unlessMissing(() => readRange(path, offset, length)),
  size: (path) => unlessMissing(async () => (await stat(path)).size),
  exists: async (path) => (await unlessMissing(async () => (await access(path)) ?? true)) === true,
  sha256: (path) => unlessMissing(() => hashFile(path)),

  async replace(path, bytes) {
    makeSyncedFolder(dirname(path));
    await writeSynced(`${path}.tmp`, bytes, 'w');
    await rename(`${path}.tmp`, path);
    await syncFolder(dirname(path));
  },

  async publishFolder(path, files) {
    const temporary = `${path}.tmp`;
    await rm(temporary, { recursive: true, force: true });
    makeSyncedFolder(dirname(path));
    await mkdir(temporary);
    for (const [name, bytes] of files) await writeSynced(join(temporary, basename(name)), bytes, 'w');
    await syncFolder(temporary);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  },

  async moveAside(path, to) {
    await rm(to, { recursive: true, force: true });
    await unlessMissing(() => rename(path, to));
  },

  async append(path, bytes) {
    makeSyncedFolder(dirname(path));
    await writeSynced(path, bytes, 'a');
    await syncFolder(dirname(path));
  },

  truncate,
};

async function writeSynced(path: string, bytes: Uint8Array, flag: 'w' | 'a'): Promise<void> {
  const handle = await open(path, flag, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    const buffer = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array); // no encoding is set, so chunks are bytes
  return hash.digest('hex');
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
