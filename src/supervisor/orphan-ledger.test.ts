import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OrphanLedger } from './orphan-ledger';
import { descendantsOf, identify, isAlive, isSameProcess, killTree } from './process-tree';

const FIXTURE = fileURLToPath(new URL('./__fixtures__/child.mjs', import.meta.url));

describe('OrphanLedger', () => {
  let folder: string;
  let path: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-'));
    path = join(folder, 'processes.json');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function stubbornChild(): Promise<number> {
    const child = spawn(process.execPath, [FIXTURE, 'stubborn'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    children.push(child);
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    return child.pid ?? 0;
  }

  it('ends what an earlier host left behind', async () => {
    const pid = await stubbornChild();
    await new OrphanLedger(path).record('engine', pid);
    expect(await new OrphanLedger(path).sweep()).toEqual(['engine']);
    expect(isAlive(pid)).toBe(false);
    expect(await new OrphanLedger(path).sweep()).toEqual([]);
  });

  it('spares a process that only has the same number', async () => {
    const pid = await stubbornChild();
    await new OrphanLedger(path).record('engine', pid);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/"startedAt": "([^"]*)"/, '"startedAt": "$10"'));
    expect(await new OrphanLedger(path).sweep()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
  });

  it.each([
    ['no file', null],
    ['half a file', '{"processes": [{"na'],
    ['another shape', '[1, 2]'],
    ['null', 'null'],
    ['entries of another shape', '{"processes": [null, {"pid": 1}, {"name": "engine", "pid": 1, "startedAt": ""}]}'],
    ['a negative number, which would be a whole group', '{"processes": [{"name": "x", "pid": -1, "startedAt": ""}]}'],
  ])('ends nothing with %s', async (_reason, text) => {
    if (text !== null) writeFileSync(path, text);
    expect(await new OrphanLedger(path).sweep()).toEqual([]);
  });

  it('names a process by its start time, so that a reused number is another process', async () => {
    const own = await identify(process.pid);
    expect(own?.pid).toBe(process.pid);
    expect(own && (await isSameProcess(own))).toBe(true);
    expect(own && (await isSameProcess({ ...own, startedAt: `${own.startedAt}0` }))).toBe(false);
  });

  it('knows that an ended process is gone', async () => {
    const pid = await stubbornChild();
    expect(await descendantsOf(process.pid)).toContain(pid);
    expect(await killTree(pid)).toEqual([]);
    expect(await identify(pid)).toBeNull();
  });
});
