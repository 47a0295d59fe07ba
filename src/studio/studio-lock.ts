import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isSameProcess, type ProcessIdentity } from '../supervisor/process-tree';
import { StudioError } from './studio-error';

/**
 * Claims a data folder for this process: two studios on one folder would each form batches and start trainers.
 *
 * The lock names its holder by pid and start time, so the lock of a killed studio is no obstacle.
 *
 * @returns gives the folder back
 * @throws StudioError `already-running`, naming the other's pid
 */
export async function claimDataDir(lockFile: string): Promise<() => void> {
  const own = (await identify(process.pid)) ?? { pid: process.pid, startedAt: '' };
  const ticket = `${lockFile}.${process.pid}`;
  try {
    writeFileSync(ticket, JSON.stringify(own), { mode: 0o600 });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (placeTicket(ticket, lockFile)) return () => release(lockFile, own);
      const holder = readHolder(lockFile);
      if (holder !== null && (await isSameProcess(holder))) throw alreadyRunning(lockFile, holder.pid);
      moveAside(lockFile, ticket);
    }
    throw alreadyRunning(lockFile, readHolder(lockFile)?.pid ?? null);
  } catch (error) {
    throw error instanceof StudioError ? error : cannotClaim(lockFile, error);
  } finally {
    rmSync(ticket, { force: true });
  }
}

/** A hard link appears with its whole content at once, and fails when the name is taken. */
function placeTicket(ticket: string, lockFile: string): boolean {
  try {
    linkSync(ticket, lockFile);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // errors of fs carry a code
    if (code === 'EEXIST') return false;
    // A file system without hard links: an exclusive create is the next best.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    return createExclusively(lockFile, readFileSync(ticket, 'utf8'));
  }
}

function createExclusively(lockFile: string, text: string): boolean {
  try {
    writeFileSync(lockFile, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // errors of fs carry a code
    throw error;
  }
}

/** A rename takes the stale lock away as one step; of two that try, one finds it gone and looks again. */
function moveAside(lockFile: string, ticket: string): void {
  try {
    renameSync(lockFile, `${ticket}.stale`);
    rmSync(`${ticket}.stale`, { force: true });
  } catch {
    // Another studio was faster.
  }
}

function release(lockFile: string, own: ProcessIdentity): void {
  try {
    if (readHolder(lockFile)?.pid === own.pid) rmSync(lockFile, { force: true });
  } catch {
    // A disk that takes no writes any more; the lock of a process that has ended is no obstacle.
  }
}

function readHolder(lockFile: string): ProcessIdentity | null {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(lockFile, 'utf8')) as Partial<ProcessIdentity>; // checked next
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}

function cannotClaim(lockFile: string, error: unknown): StudioError {
  const { code } = error as NodeJS.ErrnoException; // errors of fs carry a code
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new StudioError(
    'data-folder',
    `The lock ${lockFile} cannot be written (${code ?? String(error)}).`,
    isFull
      ? 'Free some space on its disk and start again.'
      : 'Choose another folder with --data-dir, or change its permissions.',
    { cause: error },
  );
}

function alreadyRunning(lockFile: string, pid: number | null): StudioError {
  const who = pid === null ? 'Another Plaudit' : `Another Plaudit (process ${pid})`;
  return new StudioError(
    'already-running',
    `${who} is already using this data folder; its lock is ${lockFile}.`,
    'Close that one first, or start this one with another --data-dir.',
  );
}
