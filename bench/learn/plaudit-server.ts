import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LearnOptions } from './options';

export interface PlauditServer {
  readonly url: string;
  readonly adminKey: string;
  close(): Promise<void>;
}

const START_DEADLINE_MS = 120_000;

/** Starts the headless studio in a temporary folder and waits until it says where it answers. */
export async function startServer(options: LearnOptions): Promise<PlauditServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-learn-'));
  const args = [options.program, 'serve', '--data-dir', dataDir, '--port', '0'];
  args.push('--batch-size', String(options.batchSize));
  if (options.model !== null) args.push('--model', options.model);
  if (options.learningRate !== null) args.push('--learning-rate', String(options.learningRate));
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const close = async (): Promise<void> => {
    await stop(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { url, keyPath } = await announced(child);
    return { url, adminKey: (await readFile(keyPath, 'utf8')).trim(), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function announced(child: ChildProcess): Promise<{ url: string; keyPath: string }> {
  return new Promise((resolve, reject) => {
    let url: string | undefined;
    const timer = setTimeout(() => reject(new Error('the server did not start in time')), START_DEADLINE_MS);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      console.log(`  | ${line}`);
      url ??= line.match(/answers at (\S+)/)?.[1];
      const keyPath = line.match(/^Admin key: (.+)$/)?.[1];
      if (url !== undefined && keyPath !== undefined) {
        clearTimeout(timer);
        resolve({ url, keyPath });
      }
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with code ${code}`));
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(timer);
}
