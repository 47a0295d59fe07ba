import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, signal } from '../machine';
import type { DiskImage } from './disk-image';

/** A machine whose power is cut: each life begins with what the disk held when the last one ended. */
export class PowerCutMachine implements Machine {
  #cuts = 0;

  /** @param folder - outside of the disk, for its copies */
  constructor(
    private readonly disk: DiskImage,
    private readonly folder: string,
  ) {}

  async start(): Promise<string> {
    await this.disk.mount();
    return join(this.disk.mountPoint, 'data');
  }

  async end(gateway: ChildProcess): Promise<void> {
    // Stopped first, so that what it told anybody it had told before the moment that the copy shows.
    gateway.kill('SIGSTOP');
    await untilStopped(gateway.pid ?? 0);
    this.#cuts += 1;
    const copy = join(this.folder, `disk-${this.#cuts}.img`);
    await this.disk.copyTo(copy);
    await signal(gateway, 'SIGKILL');
    await this.disk.replaceBy(copy);
  }
}

/** A thread inside of a system call goes on to the end of that call. */
async function untilStopped(pid: number): Promise<void> {
  const tasks = join('/proc', String(pid), 'task');
  const isStopped = (task: string): boolean => {
    const stat = readFileSync(join(tasks, task, 'stat'), 'utf8');
    return 'TZX'.includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
  };
  while (!readdirSync(tasks).every(isStopped)) await new Promise((resolve) => setTimeout(resolve, 1));
}
