import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrainerLinkEvent } from '../gateway/compose';
import { settingsSchema } from '../shared/ipc/contract';
import { isAlive } from '../supervisor/process-tree';
import { type Studio, type StudioOptions, startStudio } from './studio';
import { type FakeGateway, fakeGateway, makeModelFolder } from './testing/fake-gateway';

const PROGRAMS = fileURLToPath(new URL('./testing/programs', import.meta.url));

describe('startStudio', () => {
  let folder: string;
  let gateway: FakeGateway;
  const studios: Studio[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'studio-'));
    makeModelFolder(join(folder, 'model'));
    gateway = fakeGateway();
  });
  afterEach(async () => {
    delete process.env.ENGINE_FIXTURE;
    await Promise.all(studios.splice(0).map((studio) => studio.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(changes: Partial<StudioOptions> = {}): Promise<Studio> {
    const studio = await startStudio({
      dataDir: join(folder, 'data'),
      modelPath: join(folder, 'model'),
      programsDir: PROGRAMS,
      settings: settingsSchema.parse({}),
      log: () => undefined,
      openGateway: gateway.open,
      ...changes,
    });
    studios.push(studio);
    return studio;
  }

  const state = (studio: Studio, name: string) => studio.processes().find((each) => each.name === name)?.state;
  const pids = (studio: Studio) => studio.processes().map((each) => each.pid ?? 0);
  const bothReady = (studio: Studio) =>
    expect
      .poll(() => [state(studio, 'engine'), state(studio, 'trainer')], { timeout: 20_000 })
      .toEqual(['ready', 'ready']);
  const engineFlags = async (): Promise<string[]> => {
    const url = gateway.options?.engine.current()?.url;
    return (await (await fetch(`${url}/flags`)).json()) as string[]; // the fixture answers with its own flags
  };

  it('opens the gateway, then serves its newest weights and runs its trainer', async () => {
    makeModelFolder(join(folder, 'v3'));
    gateway.weights = [
      { path: join(folder, 'v3'), version: 3 },
      { path: join(folder, 'model'), version: 0 },
    ];
    const studio = await start();
    expect(studio.gateway.url).toBe('http://127.0.0.1:1');
    await bothReady(studio);
    expect((await engineFlags()).join(' ')).toContain(`--model-path ${join(folder, 'v3')} --weight-version 3`);
    expect(studio.trouble()).toEqual([]);
  });

  it('tells the gateway where the engine went when it was started again', async () => {
    const studio = await start();
    await bothReady(studio);
    const first = gateway.options?.engine.current()?.url;
    const seen: (string | null)[] = [];
    gateway.options?.engine.subscribe(() => seen.push(gateway.options?.engine.current()?.url ?? null));
    makeModelFolder(join(folder, 'v1'));
    gateway.weights = [{ path: join(folder, 'v1'), version: 1 }, ...gateway.weights];
    process.kill(pids(studio)[0] ?? 0, 'SIGKILL');
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(2);
    expect(seen[0]).toBeNull();
    expect(seen[1]).toMatch(/^http:/);
    expect(seen[1]).not.toBe(first);
    expect(await engineFlags()).toContain('1');
    expect(studio.processes()[0]?.restarts).toBe(1);
  });

  it('falls back to the version before when the newest folder is damaged, and says so', async () => {
    makeModelFolder(join(folder, 'v2'));
    writeFileSync(
      join(folder, 'v2', 'weights.json'),
      JSON.stringify({
        version: 2,
        incarnation: 0,
        kind: 'full',
        files: [{ name: 'model.safetensors', bytes: 3, sha256: '0'.repeat(64) }],
        parent_version: 1,
        batch_id: 2,
      }),
    );
    gateway.weights = [
      { path: join(folder, 'v2'), version: 2 },
      { path: join(folder, 'model'), version: 0 },
    ];
    const studio = await start();
    await bothReady(studio);
    expect((await engineFlags()).join(' ')).toContain('--weight-version 0');
    expect(studio.trouble()).toMatchObject([{ kind: 'weights-damaged', advice: 'Version 0 answers instead.' }]);
  });

  it('carries the trainer contract both ways, past lines that are not of it', async () => {
    const bad: string[] = [];
    const studio = await start({ log: (_level, event) => event === 'trainer-bad-line' && bad.push(event) });
    const events: TrainerLinkEvent[] = [];
    gateway.options?.trainer.subscribe((event) => events.push(event));
    await bothReady(studio);
    expect(bad).toEqual(['trainer-bad-line']);
    expect(gateway.options?.trainer.send({ type: 'batch', id: 1, path: 'spool/000001' })).toBe(true);
    const ack = { kind: 'message', message: { type: 'ack', batch: 1, status: 'trained', version: 1, dropped: [] } };
    await expect.poll(() => events, { timeout: 20_000 }).toContainEqual(ack);
    await studio.stop();
    expect(events).toContainEqual({ kind: 'gone', code: 20, signal: null });
    expect(gateway.options?.trainer.send({ type: 'pause' })).toBe(false);
  });

  it('keeps the gateway open when the engine cannot start, and says what is wrong', async () => {
    process.env.ENGINE_FIXTURE = 'fatal';
    const studio = await start();
    await expect.poll(() => studio.processes()[0]?.detail, { timeout: 20_000 }).toContain('cannot be loaded');
    expect(gateway.asked).toEqual(['open']);
    delete process.env.ENGINE_FIXTURE;
    await studio.restartProcess('engine');
    await bothReady(studio);
  });

  it('stops in order and leaves nothing running', async () => {
    const studio = await start();
    await bothReady(studio);
    const running = pids(studio);
    await studio.stop();
    expect(gateway.asked).toEqual(['open', 'stop-intake', 'close']);
    expect(readFileSync(join(folder, 'data', 'run', 'saved'), 'utf8')).toBe('yes');
    expect(running.map(isAlive)).toEqual([false, false]);
    expect(existsSync(join(folder, 'data', 'studio.lock'))).toBe(false);
  });

  it('refuses a data folder that another studio uses and names its process; takes over that of a dead one', async () => {
    await start();
    await expect(start()).rejects.toThrow(`process ${process.pid}`);
    await studios[0]?.stop();
    writeFileSync(join(folder, 'data', 'studio.lock'), JSON.stringify({ pid: process.pid, startedAt: 'another life' }));
    await bothReady(await start());
  });

  it.each([
    [
      'a model folder that does not exist',
      { modelPath: join('no', 'model') },
      /model cannot be used: .*does not exist/,
    ],
    ['a data folder where none can be made', { dataDir: join('/dev', 'null', 'nope') }, /cannot be written to/],
    ['a data folder that is a file', { dataDir: fileURLToPath(import.meta.url) }, /cannot be written to/],
  ])('refuses %s', async (_reason, changes, message) => {
    await expect(start(changes)).rejects.toThrow(message);
  });

  it('gives the data folder back when the gateway does not open', async () => {
    const failing = { openGateway: () => Promise.reject(new Error('port taken')) };
    await expect(start(failing)).rejects.toThrow('port taken');
    await bothReady(await start());
  });
});
