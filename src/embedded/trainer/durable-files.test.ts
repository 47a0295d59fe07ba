import type * as files from 'node:fs/promises';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFolder, makeFolder, replaceFile, writeFlushed } from './durable-files';

/** Paths of the files and folders that were flushed, in order. */
const flushed = vi.hoisted(() => [] as string[]);

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>();
  return {
    ...real,
    open: async (path: string, flags: string) => {
      const handle = await real.open(path, flags);
      const sync = handle.sync.bind(handle);
      handle.sync = () => {
        flushed.push(path);
        return sync();
      };
      return handle;
    },
  };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'));
  flushed.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('enters each folder that it makes in its parent, and does nothing when all are there', async () => {
  await makeFolder(join(folder, 'a', 'b', 'c'));
  expect(new Set(flushed)).toEqual(new Set([folder, join(folder, 'a'), join(folder, 'a', 'b')]));
  flushed.length = 0;
  await makeFolder(join(folder, 'a', 'b', 'c'));
  expect(flushed).toEqual([]);
});

it('flushes a file before it gets its name, and its folder after', async () => {
  const path = join(folder, 'new', 'HEAD.json');
  await replaceFile(path, 'text');
  expect(await readFile(path, 'utf8')).toBe('text');
  expect(flushed).toEqual([folder, join(folder, 'new', '.HEAD.json.tmp'), join(folder, 'new')]);
});

it('flushes what a folder holds before the folder gets its name', async () => {
  const path = join(folder, 'weights', 'v1');
  await createFolder(path, async (temporary) => {
    await makeFolder(temporary);
    await writeFlushed(join(temporary, 'file'), 'text');
  });
  expect(await readFile(join(path, 'file'), 'utf8')).toBe('text');
  const parent = join(folder, 'weights');
  const temporary = join(parent, '.v1.tmp');
  expect(flushed).toEqual([folder, parent, join(temporary, 'file'), temporary, parent]);
});
