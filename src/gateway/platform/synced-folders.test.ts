import * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writePrivateFile } from './private-files';
import { makeSyncedFolder } from './synced-folders';

/** Paths of the files and folders that were synced, in order. */
const synced = vi.hoisted(() => [] as string[]);

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const paths = new Map<number, string>();
  return {
    ...real,
    openSync: (path: string, flags: string) => {
      const file = real.openSync(path, flags);
      paths.set(file, path);
      return file;
    },
    fsyncSync: vi.fn((file: number) => {
      synced.push(paths.get(file) ?? '');
      real.fsyncSync(file);
    }),
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synced-'));
  synced.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('makeSyncedFolder', () => {
  it('syncs the folder above each one that it makes, and nothing when all are there', () => {
    const path = join(folder, 'a', 'b');
    makeSyncedFolder(path, 0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(synced).toEqual([folder, join(folder, 'a')]);
    synced.length = 0;
    makeSyncedFolder(path);
    expect(synced).toEqual([]);
  });

  it.each([
    ['EINVAL', false],
    ['EIO', true],
  ])('when the disk says %s to the sync, fails: %s', (code, isFailure) => {
    vi.mocked(fs.fsyncSync).mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code });
    });
    const make = () => makeSyncedFolder(join(folder, 'a'));
    if (isFailure) expect(make).toThrow(code);
    else expect(make).not.toThrow();
  });
});

describe('writePrivateFile', () => {
  it('syncs the file before it gets its name, and its folder after', () => {
    mkdirSync(join(folder, 'there'));
    const path = join(folder, 'there', 'key');
    writePrivateFile(path, 'text');
    expect(fs.readFileSync(path, 'utf8')).toBe('text');
    expect(synced).toEqual([`${path}.new`, dirname(path)]);
  });
});
