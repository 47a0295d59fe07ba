import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface StartedProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** all of stderr so far */
  readonly log: () => string;
}

export interface ProcessOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Electron as Node instead of this Node: the runtime the desktop app starts engines with */
  readonly electron?: string;
}

/** Starts an engine bundle on a free port; resolves when it prints that it is ready, rejects when it ends before. */
export async function startProcess(options: ProcessOptions): Promise<StartedProcess> {
  const { child, log } = spawnProcess(options);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', () => {
      const ready = /^embedded-engine: ready (\S+)$/m.exec(log());
      if (ready?.[1] !== undefined) resolve(ready[1]);
    });
    child.on('exit', (code) => reject(new Error(`the engine ended with ${code} before it was ready:\n${log()}`)));
  });
  return { url, child, log };
}

export function spawnProcess(options: ProcessOptions): { child: ChildProcess; log: () => string } {
  const env = options.electron === undefined ? process.env : { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const child = spawn(options.electron ?? process.execPath, [options.program, ...options.arguments], {
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { child, log: () => text };
}

/** Exit code, or the signal's name. */
export async function exitOf(child: ChildProcess): Promise<number | string> {
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return child.signalCode;
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code ?? signal ?? 'unknown';
}

/** The Electron binary of this checkout, null where it is not installed. */
export function electronBinary(): string | null {
  const path = join(
    process.cwd(),
    'node_modules',
    'electron',
    'dist',
    process.platform === 'win32' ? 'electron.exe' : 'electron',
  );
  return existsSync(path) ? path : null;
}
