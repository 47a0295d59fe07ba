import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** Bundles the embedded engine for this test run. @returns the program's path */
export async function buildEngine(name: string): Promise<string> {
  const program = join('.cache', 'tests', `${name}-${process.pid}.cjs`);
  await build({
    entryPoints: ['src/embedded/engine/entry.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    logLevel: 'error',
  });
  return program;
}

export interface EngineProcess {
  readonly url: string;
  /** SIGKILL, as a crash */
  kill(): Promise<void>;
}

/** Starts a real engine on a free port and waits until it says that it is ready. */
export async function startEngine(program: string, modelPath: string, weightVersion: number): Promise<EngineProcess> {
  const args = [program, '--model-path', modelPath, '--port', '0', '--weight-version', String(weightVersion)];
  const child = spawn(process.execPath, [...args, '--exit-on-stdin-eof'], { stdio: ['pipe', 'ignore', 'pipe'] });
  return { url: await readAddress(child), kill: () => killed(child) };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      seen.push(line);
      const url = /ready (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}: ${seen.join(' | ')}`)));
  });
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
