import * as fs from 'node:fs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WriteAheadSync } from './write-ahead-sync';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return { ...real, fdatasync: vi.fn(real.fdatasync), fdatasyncSync: vi.fn(real.fdatasyncSync) };
});

let folder: string;
let log: WriteAheadSync;
const syncs = vi.mocked(fs.fdatasync);
const syncsInPlace = vi.mocked(fs.fdatasyncSync);
let now = 0;
/** Milliseconds that each sync takes, in turn; the last one for all that follow. */
let durations: number[] = [];
const nextDuration = (): number => (durations.length > 1 ? (durations.shift() ?? 0) : (durations[0] ?? 0));
const write = async (times = 1): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    log.noteWrite();
    await log.flush();
  }
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wal-'));
  writeFileSync(join(folder, 'wal'), 'x');
  now = 0;
  durations = [];
  log = new WriteAheadSync(join(folder, 'wal'), () => now);
  syncs.mockClear();
  syncsInPlace.mockReset();
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('WriteAheadSync', () => {
  it('does nothing when nothing was written', async () => {
    await log.flush();
    expect(syncs).not.toHaveBeenCalled();
  });

  it('syncs once for all writes before it, and once more for all that came meanwhile', async () => {
    log.noteWrite();
    log.noteWrite();
    const first = log.flush();
    const later = Array.from({ length: 10 }, () => {
      log.noteWrite();
      return log.flush();
    });
    await Promise.all([first, ...later]);
    expect(syncs).toHaveBeenCalledTimes(2);
    await log.flush();
    expect(syncs).toHaveBeenCalledTimes(2);
  });

  it('never lets a flush end before a sync that began after its write', async () => {
    const ends: (() => void)[] = [];
    syncs.mockImplementation(((_file: number, done: (error: null) => void) => {
      ends.push(() => done(null));
    }) as typeof fs.fdatasync);
    const done: string[] = [];
    log.noteWrite();
    const first = log.flush().then(() => done.push('first'));
    const reader = log.flush().then(() => done.push('reader'));
    log.noteWrite();
    const second = log.flush().then(() => done.push('second'));
    ends[0]?.();
    await Promise.all([first, reader]);
    expect(done).toEqual(['first', 'reader']);
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    ends[1]?.();
    await second;
    expect(done).toEqual(['first', 'reader', 'second']);
  });

  it('fails for ever once the disk has refused', async () => {
    syncs.mockImplementation(((_file: number, done: (error: Error) => void) =>
      done(new Error('EIO'))) as typeof fs.fdatasync);
    log.noteWrite();
    await expect(log.flush()).rejects.toThrow('EIO');
    syncs.mockReset();
    await expect(log.flush()).rejects.toThrow('EIO');
  });

  it('fails also for those that waited for the next sync when one was refused', async () => {
    const ends: ((error: Error) => void)[] = [];
    syncs.mockImplementation(((_file: number, done: (error: Error | null) => void) => {
      if (ends.push(done) > 1) done(null);
    }) as typeof fs.fdatasync);
    log.noteWrite();
    const first = log.flush();
    log.noteWrite();
    const second = log.flush();
    ends[0]?.(new Error('EIO'));
    await expect(first).rejects.toThrow('EIO');
    await expect(second).rejects.toThrow('EIO');
  });

  const replaceFile = (path: string): void => {
    writeFileSync(`${path}.new`, 'x');
    fs.renameSync(`${path}.new`, path);
  };
  it.each([
    ['removed before the first flush', false, (path: string) => rmSync(path)],
    ['removed', true, (path: string) => rmSync(path)],
    ['replaced', true, replaceFile],
    ['moved away', true, (path: string) => fs.renameSync(path, `${path}.old`)],
  ])('fails for ever once the log was %s', async (_what, isFlushed, harm) => {
    syncs.mockRestore();
    if (isFlushed) {
      log.noteWrite();
      await log.flush();
    }
    harm(join(folder, 'wal'));
    log.noteWrite();
    await expect(log.flush()).rejects.toThrow('removed or replaced');
    writeFileSync(join(folder, 'wal'), 'x');
    log.noteWrite();
    await expect(log.flush()).rejects.toThrow('removed or replaced');
  });

  it('goes on when the log is only written to', async () => {
    syncs.mockRestore();
    for (let k = 0; k < 3; k += 1) {
      fs.appendFileSync(join(folder, 'wal'), 'more');
      log.noteWrite();
      await log.flush();
    }
    fs.truncateSync(join(folder, 'wal'));
    log.noteWrite();
    await expect(log.flush()).resolves.toBeUndefined();
  });

  it('has nothing to do without a log', async () => {
    const none = new WriteAheadSync(join(folder, 'none'));
    none.noteWrite();
    await none.flush();
    expect(syncs).not.toHaveBeenCalled();
  });
});

describe('a wait for the disk', () => {
  beforeEach(() => {
    syncs.mockImplementation(((_file: number, done: (error: null) => void) => {
      now += nextDuration();
      done(null);
    }) as typeof fs.fdatasync);
    syncsInPlace.mockImplementation(() => {
      now += nextDuration();
    });
  });

  it.each([
    ['quick', [1], 3, 7],
    ['slow', [1.1], 10, 0],
    ['quick only now and then', [1, 1, 2, 1, 1, 2, 1, 1, 2, 1], 10, 0],
    ['quick from the second on', [9, 1], 4, 6],
    ['slow once in place', [1, 1, 1, 1, 2.1, 1], 6, 4],
    ['slow for ever after a while in place', [1, 1, 1, 1, 9], 8, 2],
  ])('is made beside the event loop until the disk is known to be quick: %s', async (_what, each, beside, inPlace) => {
    durations = [...each];
    await write(10);
    expect(syncs).toHaveBeenCalledTimes(beside);
    expect(syncsInPlace).toHaveBeenCalledTimes(inPlace);
  });

  it('covers in place every write before it, once', async () => {
    await write(3);
    log.noteWrite();
    log.noteWrite();
    await Promise.all([log.flush(), log.flush(), log.flush()]);
    expect(syncsInPlace).toHaveBeenCalledTimes(1);
  });

  it('fails for ever once the disk has refused in place', async () => {
    await write(3);
    syncsInPlace.mockImplementationOnce(() => {
      throw new Error('EIO');
    });
    log.noteWrite();
    const first = log.flush();
    log.noteWrite();
    const second = log.flush();
    await expect(first).rejects.toThrow('EIO');
    await expect(second).rejects.toThrow('EIO');
    log.noteWrite();
    await expect(log.flush()).rejects.toThrow('EIO');
  });

  it('notices in place that the log was removed', async () => {
    await write(3);
    rmSync(join(folder, 'wal'));
    log.noteWrite();
    await expect(log.flush()).rejects.toThrow('removed or replaced');
  });
});
