import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeSyncedFolder, syncFileNow, syncFolderNow } from './synced-folders';

/** Creates the folder (and its parents) readable by its owner only; an existing folder keeps its mode. */
export function ensurePrivateFolder(path: string): void {
  makeSyncedFolder(path, 0o700);
}

/**
 * Creates an empty file with mode 0600, or tightens an existing one.
 *
 * SQLite gives its journal files the mode of the database, so one call covers all of them.
 */
export function ensurePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  // Windows has no such modes and ignores the call.
  chmodSync(path, 0o600);
}

/** The file's text without surrounding white space, or null when there is no such file. */
export function readTextIfPresent(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

/** Writes a small secret file as a whole and brings it to the disk: a crash leaves the old content or the new, never a part. */
export function writePrivateFile(path: string, text: string): void {
  ensurePrivateFolder(dirname(path));
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  // By hand: the option to flush is unknown to Node 18, which passes over it in silence.
  syncFileNow(temporary);
  renameSync(temporary, path);
  syncFolderNow(dirname(path));
}

/** What SQLite may keep beside a database: the journal and its index. */
const SIBLINGS = ['-wal', '-shm'] as const;

/** Copies a database file with the files that belong to it, and brings the copies to the disk. */
export function copyWithSiblings(from: string, to: string): void {
  for (const suffix of ['', ...SIBLINGS]) {
    if (suffix !== '' && !existsSync(from + suffix)) continue;
    copyFileSync(from + suffix, to + suffix);
    syncFileNow(to + suffix);
  }
  syncFolderNow(dirname(to));
}

/** Removes a closed database. */
export function removeWithSiblings(path: string): void {
  for (const suffix of ['', ...SIBLINGS]) rmSync(path + suffix, { force: true });
}

/** Puts a closed database in the place of another, whose journal must not be applied to it. */
export function replaceWithSiblings(from: string, to: string): void {
  for (const sibling of SIBLINGS) rmSync(to + sibling, { force: true });
  // After a power cut the old journal must not meet the new file.
  syncFolderNow(dirname(to));
  renameSync(from, to);
  removeWithSiblings(from);
  syncFolderNow(dirname(to));
}

/** @param base - what a relative path is relative to */
export function resolvePath(base: string, path: string): string {
  return resolve(base, path);
}

/** Joins path segments with the platform's separator. */
export function joinPath(...segments: readonly string[]): string {
  return join(...segments);
}

/** The folder that holds `path`. */
export function parentFolder(path: string): string {
  return dirname(path);
}
