import { readFileSync, rmSync } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRAINER_EXIT } from '../../shared/wire/trainer';
import { isAbsent } from './durable-files';
import { runPaths } from './run-directory';
import { TrainerFailure } from './trainer-failure';

interface LockRecord {
  readonly pid: number;
  readonly started_at: string;
  /** what the system says of the process's birth, against recycled pids; null where it cannot be asked */
  readonly process_start: string | null;
}

const RETRY_MS = 100;

/**
 * Takes the run directory for this process; the lock of a dead process is taken over.
 *
 * A living owner is waited for: after a crash of the studio the old trainer may be finishing its batch. Then exit 11.
 * @returns a function that gives the directory back; it is synchronous, so that it can run on the way out
 */
export async function takeRunLock(root: string, waitMs: number): Promise<() => void> {
  const path = runPaths.lock(root);
  const deadline = Date.now() + waitMs;
  for (;;) {
    if (await tryCreate(path)) return () => rmSync(path, { force: true });
    const owner = await ownerOf(path);
    if (owner === null) {
      await rm(path, { force: true });
      continue;
    }
    if (Date.now() >= deadline) {
      throw new TrainerFailure(
        `The run directory is in use by process ${owner.pid} since ${owner.started_at}; stop that trainer first`,
        { exitCode: TRAINER_EXIT.environment, code: 'locked' },
      );
    }
    await sleep(RETRY_MS);
  }
}

async function tryCreate(path: string): Promise<boolean> {
  const file = await open(path, 'wx').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return null;
    throw cause;
  });
  if (file === null) return false;
  const record: LockRecord = {
    pid: process.pid,
    started_at: new Date().toISOString(),
    process_start: processStart(process.pid),
  };
  try {
    await file.writeFile(`${JSON.stringify(record)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** The living owner; null when the lock is stale or gone. */
async function ownerOf(path: string): Promise<LockRecord | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const record = parseLock(text);
    if (record === null) {
      // half-written: its owner is between creating and filling it, or died there
      return Date.now() - mtimeMs < 2000 ? { pid: 0, started_at: 'just now', process_start: null } : null;
    }
    const bootedAt = Date.now() - uptime() * 1000;
    const isOlderThanBoot = mtimeMs < bootedAt - 5000;
    return !isOlderThanBoot && isAlive(record) ? record : null;
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

function parseLock(text: string): LockRecord | null {
  try {
    const json = JSON.parse(text) as Partial<LockRecord> | null;
    if (typeof json?.pid !== 'number') return null;
    return { pid: json.pid, started_at: String(json.started_at), process_start: json.process_start ?? null };
  } catch {
    return null;
  }
}

function isAlive({ pid, process_start }: LockRecord): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it lives, under another user
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
  const now = processStart(pid);
  return now === null || process_start === null || now === process_start;
}

/** Linux: clock ticks after boot at which the process began, field 22 of its stat file. */
function processStart(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // a zombie has ended, it only waits to be noticed by its parent
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? null);
  } catch {
    return null;
  }
}
