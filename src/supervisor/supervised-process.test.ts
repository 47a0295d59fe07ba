import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFile } from './log-file';
import { OrphanLedger } from './orphan-ledger';
import { isAlive } from './process-tree';
import { type SupervisedProgram, scriptCommand } from './program';
import { describeExit, type ProcessState, SupervisedProcess } from './supervised-process';
import { embeddedTrainerProgram } from './trainer-command';

const FIXTURE = fileURLToPath(new URL('./__fixtures__/child.mjs', import.meta.url));

describe('SupervisedProcess', () => {
  let folder: string;
  const started: SupervisedProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'supervised-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((each) => each.stop(0)));
    rmSync(folder, { recursive: true, force: true });
  });

  function supervise(behaviour: readonly string[], changes: Partial<SupervisedProgram> = {}): SupervisedProcess {
    const program: SupervisedProgram = {
      name: 'fixture',
      command: async () => scriptCommand(FIXTURE, behaviour),
      readyLine: (_stream, line) => /^fixture: ready (.*)/.exec(line)?.[1] ?? null,
      readyDeadlineMs: 20_000,
      politeStop: 'terminate',
      graceMs: 20_000,
      restart: { maxRestarts: 0, windowMs: 60_000, delaysMs: [10], noRestartExitCodes: [] },
      explain: (exit) => `fixture ended: ${describeExit(exit)}`,
      ...changes,
    };
    const supervised = new SupervisedProcess(program, { now: Date.now });
    started.push(supervised);
    return supervised;
  }

  it.each(['terminate', 'close-stdin'] as const)(
    'goes through its states and ends politely (%s)',
    async (politeStop) => {
      const supervised = supervise(['good'], { politeStop });
      const states: ProcessState[] = [];
      supervised.subscribe(() => {
        const { state } = supervised.status();
        if (states[states.length - 1] !== state) states.push(state);
      });
      await supervised.start();
      await supervised.whenReady();
      const { pid } = supervised.status();
      expect(supervised.address()).toBe('at-home');
      await supervised.stop();
      expect(states).toEqual(['starting', 'ready', 'stopping', 'stopped']);
      expect(supervised.status()).toMatchObject({ pid: null, restarts: 0, detail: null });
      expect(supervised.address()).toBeNull();
      expect(isAlive(pid ?? 0)).toBe(false);
    },
  );

  it('ends by force what ignores the polite word', async () => {
    const supervised = supervise(['stubborn']);
    await supervised.start();
    await supervised.whenReady();
    const pid = supervised.status().pid ?? 0;
    await supervised.stop(50);
    expect(isAlive(pid)).toBe(false);
    expect(supervised.logLines().join('\n')).toMatch(/ended by force[\s\S]*SIGKILL, as asked/);
  });

  it.each([
    ['of a stubborn parent', 'family'],
    ['of a parent that has already ended', 'parentless'],
  ])('leaves no grandchild %s', async (_reason, behaviour) => {
    const supervised = supervise([behaviour]);
    const grandchild = new Promise<number>((resolve) => {
      supervised.subscribe((event) => {
        const pid = event.kind === 'line' ? /^grandchild (\d+)/.exec(event.line)?.[1] : undefined;
        if (pid !== undefined) resolve(Number(pid));
      });
    });
    await supervised.start();
    await supervised.whenReady().catch(() => undefined);
    const pid = await grandchild;
    await supervised.stop(50);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('ends what is not ready in time and says so', async () => {
    const supervised = supervise(['hang'], { readyDeadlineMs: 150 });
    await supervised.start();
    const pid = supervised.status().pid ?? 0;
    await expect(supervised.whenReady()).rejects.toThrow(/was not ready after/);
    expect(supervised.status().state).toBe('failed');
    expect(isAlive(pid)).toBe(false);
  });

  it('waits for the probe although the child called itself ready', async () => {
    let asked = 0;
    const supervised = supervise(['good'], {
      probe: async (address) => {
        asked += 1;
        return address === 'at-home' && asked === 3;
      },
    });
    await supervised.start();
    await supervised.whenReady();
    expect(asked).toBe(3);
  });

  it('starts a crashed child again until it stays', async () => {
    const supervised = supervise(['recover', join(folder, 'starts')], {
      restart: { maxRestarts: 5, windowMs: 60_000, delaysMs: [5], noRestartExitCodes: [] },
    });
    await supervised.start();
    await supervised.whenReady();
    expect(supervised.status()).toMatchObject({ state: 'ready', restarts: 2 });
  });

  it('gives up on a child that crashes again and again, and starts afresh when asked', async () => {
    const supervised = supervise(['crash'], {
      restart: { maxRestarts: 2, windowMs: 60_000, delaysMs: [5], noRestartExitCodes: [] },
    });
    const failed = untilState(supervised, 'failed');
    await supervised.start();
    await failed;
    expect(supervised.status()).toMatchObject({
      restarts: 2,
      detail: 'fixture ended: exit code 3 Given up after 2 restarts.',
      pid: null,
    });
    const again = untilState(supervised, 'failed');
    await supervised.restart();
    await again;
    expect(supervised.status().restarts).toBe(2);
  });

  it('does not restart after an exit code that a restart cannot mend', async () => {
    const supervised = supervise(['exit', '12'], {
      restart: { maxRestarts: 5, windowMs: 60_000, delaysMs: [5], noRestartExitCodes: [12] },
    });
    await supervised.start();
    await expect(supervised.whenReady()).rejects.toThrow('exit code 12');
    expect(supervised.status()).toMatchObject({ state: 'failed', restarts: 0 });
    expect(supervised.logLines()).toContain('fixture: the last word');
  });

  it.each([
    ['a program that does not exist', async () => ({ file: join('no', 'such', 'program'), args: [] }), /ENOENT/],
    ['a command that cannot be made', () => Promise.reject(new Error('no weights folder')), /no weights folder/],
  ])('fails with the reason for %s', async (_reason, command, message) => {
    const supervised = supervise([], { command });
    await supervised.start();
    await expect(supervised.whenReady()).rejects.toThrow(message);
    expect(supervised.status().state).toBe('failed');
  });

  it('cancels a restart that is waiting when it is stopped', async () => {
    const supervised = supervise(['exit', '1'], {
      restart: { maxRestarts: 5, windowMs: 600_000, delaysMs: [600_000], noRestartExitCodes: [] },
    });
    const waiting = new Promise<void>((resolve) => {
      supervised.subscribe(() => supervised.status().detail?.includes('again in 600 s') && resolve());
    });
    await supervised.start();
    await waiting;
    expect(supervised.status()).toMatchObject({ state: 'starting', pid: null });
    await supervised.stop();
    expect(supervised.status().state).toBe('stopped');
  });

  it('keeps the last lines of a child that spews, and still stops it', async () => {
    const supervised = supervise(['spew']);
    await supervised.start();
    await supervised.whenReady();
    await expect.poll(() => supervised.logLines().length).toBe(500);
    await supervised.stop();
    expect(supervised.logLines()).toHaveLength(500);
  });

  it('keeps the heartbeats of a trainer out of its last lines, but not from who listens', async () => {
    const { readyLine, isHeartbeat } = embeddedTrainerProgram({ script: FIXTURE, runDir: folder });
    const supervised = supervise(['beat', '1200'], { readyLine, isHeartbeat, politeStop: 'close-stdin' });
    let beats = 0;
    const done = new Promise<void>((resolve) => {
      supervised.subscribe((event) => {
        if (event.kind !== 'line') return;
        if (event.line === '{"type":"heartbeat"}') beats += 1;
        if (event.line.includes('"bye"')) resolve();
      });
    });
    await supervised.start();
    await done;
    await supervised.stop();
    expect(beats).toBe(1200);
    const told = supervised.logLines().filter((line) => !line.startsWith('supervisor: '));
    expect(told.map((line) => JSON.parse(line).type)).toEqual(['ready', 'warn', 'bye']);
    expect(supervised.logLines()[0]).toContain('supervisor: start');
  });

  it('speaks to its child, and says when there is none', async () => {
    const supervised = supervise(['echo'], { politeStop: 'close-stdin' });
    expect(supervised.writeLine('too early')).toBe(false);
    const heard = new Promise<string>((resolve) => {
      supervised.subscribe((event) => {
        if (event.kind === 'line' && event.line.startsWith('heard')) resolve(event.line);
      });
    });
    await supervised.start();
    await supervised.whenReady();
    expect(supervised.writeLine('{"type":"pause"}')).toBe(true);
    expect(await heard).toBe('heard {"type":"pause"}');
    await supervised.stop();
    expect(supervised.writeLine('too late')).toBe(false);
  });

  it('is in one state after any order of starts and stops', async () => {
    const supervised = supervise(['good']);
    await Promise.all([supervised.start(), supervised.stop(), supervised.start(), supervised.start()]);
    await supervised.whenReady();
    await Promise.all([supervised.stop(), supervised.stop(), supervised.restart()]);
    await supervised.whenReady();
    const { pid } = supervised.status();
    await supervised.stop();
    expect(supervised.status().state).toBe('stopped');
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('writes a log file and is in the ledger only while it lives', async () => {
    const ledger = new OrphanLedger(join(folder, 'processes.json'));
    const supervised = new SupervisedProcess(
      {
        name: 'fixture',
        command: async () => scriptCommand(FIXTURE, ['good']),
        readyLine: (_stream, line) => (line.startsWith('fixture: ready') ? '' : null),
        readyDeadlineMs: 20_000,
        politeStop: 'terminate',
        graceMs: 20_000,
        restart: { maxRestarts: 0, windowMs: 1, delaysMs: [], noRestartExitCodes: [] },
        explain: describeExit,
      },
      { now: Date.now, ledger, logFile: new LogFile(join(folder, 'fixture.log')) },
    );
    started.push(supervised);
    await supervised.start();
    await supervised.whenReady();
    const { pid } = supervised.status();
    expect(readFileSync(join(folder, 'processes.json'), 'utf8')).toContain(`"pid": ${pid}`);
    await supervised.stop();
    expect(JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'))).toEqual({ processes: [] });
    expect(readFileSync(join(folder, 'fixture.log'), 'utf8')).toMatch(/start [\s\S]*fixture: ready[\s\S]*as asked/);
  });
});

function untilState(supervised: SupervisedProcess, state: ProcessState): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = supervised.subscribe(() => {
      if (supervised.status().state !== state) return;
      unsubscribe();
      resolve();
    });
  });
}
