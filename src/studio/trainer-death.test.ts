import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema } from '../shared/ipc/contract';
import { receiptsSchema, statusSchema } from '../shared/wire/rl';
import { headSchema } from '../shared/wire/trainer';
import { type Studio, startStudio } from './studio';

// The real gateway, engine and trainer; the trainer is ended from outside while it trains.
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(REPOSITORY, '.cache');
let programsDir: string;
let dataDir: string;
let studio: Studio;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  programsDir = mkdtempSync(join(cache, 'trainer-death-'));
  const entries = { engine: 'src/embedded/engine/entry.ts', trainer: 'src/embedded/trainer/entry.ts' };
  for (const [name, entry] of Object.entries(entries))
    await build({
      absWorkingDir: REPOSITORY,
      entryPoints: [entry],
      outfile: join(programsDir, `${name}.cjs`),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node18',
      logLevel: 'error',
    });
});
afterEach(async () => {
  await studio.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => rmSync(programsDir, { recursive: true, force: true }));

async function start(): Promise<void> {
  dataDir = mkdtempSync(join(cache, 'trainer-death-data-'));
  studio = await startStudio({
    dataDir,
    modelPath: join(REPOSITORY, 'assets', 'demo-model'),
    programsDir,
    settings: settingsSchema.parse({ batchSize: 2, maxNewTokens: 8 }),
    log: () => undefined,
  });
}

async function call(path: string, body?: object, key = studio.gateway.adminKey): Promise<unknown> {
  const response = await fetch(`${studio.gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const status = async () => statusSchema.parse(await call('/rl/status'));
const counts = async () => receiptsSchema.parse(await call('/rl/receipts')).counts;
const head = () =>
  headSchema.parse(JSON.parse(readFileSync(join(studio.gateway.runDir, 'state', 'HEAD.json'), 'utf8')));

async function rate(reward: number): Promise<void> {
  const started = (await call('/rl/start_session', { task_id: 'chat' })) as { api_key: string };
  const messages = [{ role: 'user', content: 'hello' }];
  await call('/chat/completions', { model: 'demo', messages }, started.api_key);
  await call('/rl/set_reward', { reward }, started.api_key);
  await call('/rl/end_session', {}, started.api_key);
}

/** Waits until the trainer has this batch in hand, then ends it, and starts the next one without the supervisor's delay. */
async function endTrainer(batchId: number, signal: NodeJS.Signals): Promise<void> {
  const isTraining = async () => {
    const { trainer } = await status();
    return trainer.state === 'training' && trainer.batch_id === batchId;
  };
  await expect.poll(isTraining, { timeout: 50_000, interval: 10 }).toBe(true);
  const trainer = studio.processes().find(({ name }) => name === 'trainer');
  expect(trainer?.pid).not.toBeNull();
  process.kill(trainer?.pid ?? 0, signal);
  await expect.poll(() => studio.processes()[1]?.pid, { timeout: 20_000 }).not.toBe(trainer?.pid);
  await studio.restartProcess('trainer');
}

describe('a trainer that dies on a batch', () => {
  it('is started again after kill -9 from outside, and trains the batch exactly once', async () => {
    await start();
    await rate(1);
    await rate(-1);
    for (let kill = 0; kill < 3; kill += 1) await endTrainer(1, 'SIGKILL');
    await expect.poll(async () => (await counts()).trained, { timeout: 50_000 }).toEqual([{ version: 1, count: 2 }]);
    expect(head()).toMatchObject({ version: 1, last_batch: 1, status: 'trained' });
    expect(readdirSync(join(studio.gateway.runDir, 'weights'))).toEqual(['v000001.i0']);
    expect((await status()).set_aside).toEqual([]);
  }, 180_000);

  it('leaves the batch aside after three aborts, says why, and trains its ratings when they are tried again', async () => {
    await start();
    await rate(1);
    await rate(-1);
    for (let crash = 0; crash < 3; crash += 1) await endTrainer(1, 'SIGABRT');
    await expect.poll(async () => (await status()).set_aside?.length, { timeout: 50_000 }).toBe(1);
    const { set_aside: setAside, trouble } = await status();
    expect(setAside).toMatchObject([{ batch_id: 1, ratings: 2, reason: expect.stringContaining('signal SIGABRT') }]);
    expect(trouble.map(({ kind }) => kind)).toContain('batch-set-aside-1');
    expect(head()).toMatchObject({ version: 0, last_batch: 1, status: 'skipped' });
    expect((await counts()).dropped).toMatchObject([{ count: 2 }]);

    await call('/rl/batches/1/retry', {});
    await expect(call('/rl/batches/1/retry', {})).rejects.toThrow('404');
    await expect.poll(async () => (await counts()).trained, { timeout: 50_000 }).toEqual([{ version: 1, count: 2 }]);
    expect(head()).toMatchObject({ version: 1, last_batch: 2, status: 'trained' });
    expect((await status()).set_aside).toEqual([]);
    expect((await counts()).dropped).toEqual([]);
  }, 180_000);
});
