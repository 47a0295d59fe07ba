import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What is said of folders that this file system cannot sync or this user cannot open; a name is then as durable as it gets. */
const NO_FOLDER_SYNC = ['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP', 'EACCES'];

/**
 * Creates a folder and its parents, so that a power cut does not take them with what is synced inside of them later.
 *
 * @param mode - of those that are made
 */
export function makeSyncedFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeSyncedFolder(parent, mode);
  makeFolder(path, mode);
  syncFolderNow(parent);
}

/** Not Node's recursive one: that never returns where a parent takes no folders (seen under /proc). */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have just made it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Brings the names in a folder to the disk, and waits for it in place. */
export function syncFolderNow(path: string): void {
  // Windows cannot open folders; there a rename itself is as durable as it gets.
  if (process.platform === 'win32') return;
  try {
    syncNow(path, 'r');
  } catch (error) {
    if (!NO_FOLDER_SYNC.includes(codeOf(error))) throw error;
  }
}

/** Brings the names in a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    if (!NO_FOLDER_SYNC.includes(codeOf(error))) throw error;
  }
}

/** Brings the content of a file to the disk, and waits for it in place. */
export function syncFileNow(path: string): void {
  syncNow(path, 'r+');
}

function syncNow(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
