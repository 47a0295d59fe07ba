import { open, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

/** Where the lines of a growing text file lie. */
export interface LineScan {
  /** byte offset of each line found by this scan, in order */
  readonly starts: readonly number[];
  /** byte offset after the last line end seen; where the next scan goes on */
  readonly end: number;
}

/** What a path is for somebody who opens it. */
export type PathKind = 'file' | 'folder' | 'missing' | 'denied' | 'other';

/** What tells a file that was left alone from one that was written to or replaced. */
export interface FileStamp {
  readonly size: number;
  readonly inode: number;
  readonly changedAtMs: number;
}

/** Reading of files and folders that somebody else writes; the port of the dump reader. */
export interface LineFiles {
  kindOf(path: string): Promise<PathKind>;
  /** Paths of all `.jsonl` files below a folder, relative to it, with `/`; unsorted. A folder that is gone has none. */
  list(folder: string): Promise<string[]>;
  stamp(path: string): Promise<FileStamp>;
  /**
   * Finds the lines that start at `from` or later and end within `maxBytes` of it. A last line without line end is not
   * among them: it may still be being written.
   */
  scan(path: string, from: number, maxBytes: number): Promise<LineScan>;
  readRange(path: string, start: number, end: number): Promise<Uint8Array>;
  join(folder: string, path: string): string;
  baseName(path: string): string;
}

const CHUNK_BYTES = 1024 * 1024;

/** The real disk. */
export const lineFiles: LineFiles = {
  async kindOf(path) {
    try {
      const found = await stat(path);
      if (found.isFile()) return 'file';
      return found.isDirectory() ? 'folder' : 'other';
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      return code === 'EACCES' || code === 'EPERM' ? 'denied' : 'missing';
    }
  },

  async list(folder) {
    const found: string[] = [];
    const walk = async (path: string): Promise<void> => {
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const child = join(path, entry.name);
        if (entry.isDirectory()) await walk(child);
        else if (entry.isFile() && entry.name.endsWith('.jsonl'))
          found.push(relative(folder, child).split(sep).join('/'));
      }
    };
    await walk(folder);
    return found;
  },

  async stamp(path) {
    const { size, ino, mtimeMs } = await stat(path);
    return { size, inode: ino, changedAtMs: mtimeMs };
  },

  async scan(path, from, maxBytes) {
    const handle = await open(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes));
      const starts: number[] = [];
      let end = from;
      let position = from;
      while (position < from + maxBytes) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) break;
        for (let at = buffer.indexOf(0x0a); at !== -1 && at < bytesRead; at = buffer.indexOf(0x0a, at + 1)) {
          starts.push(end);
          end = position + at + 1;
        }
        position += bytesRead;
      }
      return { starts, end };
    } finally {
      await handle.close();
    }
  },

  async readRange(path, start, end) {
    const handle = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(end - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  },

  join,
  baseName: (path) => basename(path),
};
