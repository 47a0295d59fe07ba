import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../supervisor/process-tree';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const MODEL = join(REPOSITORY, 'assets', 'demo-model');

describe('plaudit serve', () => {
  let folder: string;
  let program: string;
  const children: ChildProcess[] = [];

  // The bundled program beside stand-ins for engine and trainer. Inside of the repository, so that the native library is found.
  beforeAll(async () => {
    mkdirSync(join(REPOSITORY, '.cache'), { recursive: true });
    folder = mkdtempSync(join(REPOSITORY, '.cache', 'plaudit-test-'));
    cpSync(join(REPOSITORY, 'src', 'studio', 'testing', 'programs'), folder, { recursive: true });
    program = join(folder, 'plaudit.cjs');
    await build({
      absWorkingDir: REPOSITORY,
      entryPoints: ['src/headless/plaudit.ts'],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node18',
      external: ['libsql'],
      logLevel: 'error',
    });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function start(...args: string[]) {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, code, output: () => output };
  }
  const serve = (data: string, ...args: string[]) =>
    start('serve', '--data-dir', join(folder, data), '--model', MODEL, '--port', '0', ...args);
  const childPids = (data: string): number[] => {
    const ledger = readFileSync(join(folder, data, 'processes.json'), 'utf8');
    return [...ledger.matchAll(/"pid": (\d+)/g)].map((match) => Number(match[1]));
  };
  const untilReady = async (run: { output(): string }): Promise<string> => {
    await expect.poll(run.output, { timeout: 40_000 }).toMatch(/The engine is ready\./);
    await expect.poll(run.output, { timeout: 40_000 }).toMatch(/The trainer is ready\./);
    return /answers at (\S+)/.exec(run.output())?.[1] ?? '';
  };

  it.each(['SIGINT', 'SIGTERM'] as const)('answers, and ends in order on %s with nothing left', async (signal) => {
    const run = serve(signal);
    const url = await untilReady(run);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const key = readFileSync(/Admin key: (.+)/.exec(run.output())?.[1] ?? '', 'utf8').trim();
    expect((await fetch(`${url}/rl/status`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect((await fetch(`${url}/rl/status`, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    const pids = childPids(signal);
    expect(pids).toHaveLength(2);
    run.child.kill(signal);
    expect(await run.code).toBe(0);
    expect(run.output()).toContain('Stopped.');
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('takes its children along when it is killed, and starts again on the same data', async () => {
    const first = serve('killed');
    await untilReady(first);
    const pids = childPids('killed');
    first.child.kill('SIGKILL');
    await first.code;
    for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
    const second = serve('killed');
    await untilReady(second);
    second.child.kill('SIGTERM');
    expect(await second.code).toBe(0);
  });

  it('goes on when nobody reads what it says any more, and still stops in order', async () => {
    const run = serve('unread');
    await untilReady(run);
    const pids = childPids('unread');
    run.child.stdout?.destroy();
    run.child.stderr?.destroy();
    // The host has something to say about this.
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await expect
      .poll(() => childPids('unread').filter((pid) => !pids.includes(pid)).length, { timeout: 40_000 })
      .toBe(1);
    run.child.kill('SIGTERM');
    const code = await new Promise<number | null>((resolve) => run.child.once('exit', resolve));
    expect(code).toBe(0);
  });

  it('refuses a data folder in use and names the other process', async () => {
    const first = serve('shared');
    await untilReady(first);
    const second = serve('shared');
    expect(await second.code).toBe(1);
    expect(second.output()).toContain(`process ${first.child.pid}`);
    first.child.kill('SIGTERM');
    await first.code;
  });

  it('says that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number }; // a TCP server has such an address
    const run = serve('port', '--port', String(port));
    expect(await run.code).toBe(1);
    expect(run.output()).toContain(`Port ${port} on 127.0.0.1 is already in use.`);
    other.close();
  });

  it.each([
    ['no command', [], 2, /usage: plaudit/],
    ['an unknown command', ['dance'], 2, /no command "dance"/],
    ['help', ['--help'], 0, /serve/],
    ['help of serve', ['serve', '--help'], 0, /--batch-size/],
    ['an unknown flag', ['serve', '--nope'], 2, /--nope/],
    [
      'a missing model',
      ['serve', '--model', '/no/model', '--data-dir', '.cache/never', '--port', '0'],
      1,
      /\/no\/model does not exist/,
    ],
    ['a folder that takes no files', ['serve', '--data-dir', '/dev/null/x', '--port', '0'], 1, /cannot be written to/],
  ])('ends at once with a clear word for %s', async (_reason, args, code, message) => {
    const run = start(...args);
    expect(await run.code).toBe(code);
    expect(run.output()).toMatch(message);
  });
});
