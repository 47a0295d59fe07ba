import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Names one process for good: a pid alone can be reused, a pid with its start time cannot (within one boot, and the
 * boot is part of it).
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** True while the process runs. A zombie that nobody has collected yet counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // errors of process.kill carry a code
  }
  return readStat(pid)?.state !== 'Z';
}

/** The identity of a running process, or null when there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  if (process.platform === 'linux') {
    const stat = readStat(pid);
    if (stat === null || stat.state === 'Z') return null;
    return { pid, startedAt: `${bootId()}:${stat.startTicks}` };
  }
  const text =
    process.platform === 'win32'
      ? await output('powershell.exe', [
          '-NoProfile',
          '-Command',
          `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`,
        ])
      : await output('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const startedAt = text?.trim() ?? '';
  return startedAt === '' ? null : { pid, startedAt };
}

/** True when exactly this process, not another with its number, is running. */
export async function isSameProcess(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startedAt === identity.startedAt;
}

/** All processes below `pid`, children before grandchildren. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const pairs = await parentPairs();
  const found: number[] = [];
  for (let level = [pid]; level.length > 0; ) {
    const parents = new Set(level);
    level = pairs.filter(([child, parent]) => parents.has(parent) && !found.includes(child)).map(([child]) => child);
    found.push(...level);
  }
  return found;
}

/**
 * Ends a process and everything below it, without asking, and resolves when all of it is gone.
 *
 * @param pid - when it leads a process group of its own, members whose parent has already died are ended too
 * @returns pids that are still there after `deadlineMs` (a process stuck in the kernel)
 */
export async function killTree(pid: number, deadlineMs = 5000): Promise<number[]> {
  const victims = [pid, ...(await descendantsOf(pid))];
  if (process.platform === 'win32') await output('taskkill', ['/pid', String(pid), '/T', '/F']);
  else {
    killGroup(pid);
    for (const victim of victims) signal(victim, 'SIGKILL');
  }
  return await waitUntilGone(victims, deadlineMs);
}

/** Ends what is left of the group that `leader` started; does nothing when the group is empty. */
export function killGroup(leader: number): void {
  if (process.platform !== 'win32') signal(-leader, 'SIGKILL');
}

/** Sends a signal; false when there is no such process (any more). */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function waitUntilGone(pids: readonly number[], deadlineMs: number): Promise<number[]> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const left = pids.filter(isAlive);
    if (left.length === 0 || waitedMs >= deadlineMs) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readStat(pid: number): { state: string; parent: number; startTicks: string } | null {
  if (process.platform !== 'linux') return null;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTicks: fields[19] ?? '' };
  } catch {
    return null;
  }
}

function bootId(): string {
  const path = '/proc/sys/kernel/random/boot_id';
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

async function parentPairs(): Promise<(readonly [child: number, parent: number])[]> {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), readStat(Number(name))?.parent ?? 0] as const);
  }
  if (process.platform === 'win32') return []; // taskkill /T walks the tree itself
  const text = (await output('ps', ['-A', '-o', 'pid=,ppid='])) ?? '';
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([child = 0, parent = 0]) => [child, parent] as const);
}

function output(file: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, [...args], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}
