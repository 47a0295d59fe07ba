import type { ChildProcess } from 'node:child_process';

/** What a gateway runs on, and how its lives end. */
export interface Machine {
  /** Makes the data folder ready for the next life. @returns its path */
  start(): Promise<string>;
  /** Ends the gateway's life; resolves when its process is gone. */
  end(gateway: ChildProcess): Promise<void>;
}

/** The machine lives on; only the process is killed. */
export function killingMachine(dataDir: string): Machine {
  return { start: async () => dataDir, end: (gateway) => signal(gateway, 'SIGKILL') };
}

/** Sends a signal to a process and waits until it is gone with its pipes. */
export function signal(child: ChildProcess, name: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill(name);
  });
}
