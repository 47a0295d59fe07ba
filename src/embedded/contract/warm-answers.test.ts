import { mkdtempSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../scripts/build-programs.mjs';
import { readModelFolder } from '../engine/model-folder';
import { loadCheckpoint } from '../model/checkpoint';
import { disposeParams, toDevice } from '../model/llama-forward';
import { makeTokenLogprobs, type TokenLogprobs } from '../model/log-probs';
import { parseSafetensors, serializeSafetensors } from '../model/safetensors';
import { startTensorRuntime } from '../model/tensor-runtime';
import { mulberry32 } from '../model/testing/tiny-checkpoint';
import { seededRandom } from '../world/random';
import { EngineClient } from './engine-client';
import { electronBinary, exitOf, type StartedProcess, startProcess } from './engine-process';
import { type Asked, chatTraffic } from './stress/chat-traffic';
import { differenceFromCold, type Span, spansOf, trainerDistance } from './stress/cold-answers';
import { disturb } from './stress/disturbance';

/**
 * Whatever else the engine does, every answer is the one that an engine at rest with empty caches gives, bit for bit, and its
 * log-probs are those of the trainer's forward. On the shipped model, in real processes. More of it:
 * `PLAUDIT_STRESS_CHATS=40 PLAUDIT_STRESS_TURNS=4 PLAUDIT_STRESS_TRAINER_SPANS=1000 npx vitest run src/embedded/contract/warm-answers.test.ts`
 */
const CHATS = Number(process.env.PLAUDIT_STRESS_CHATS ?? 6);
const TURNS = Number(process.env.PLAUDIT_STRESS_TURNS ?? 2);
const SEED = Number(process.env.PLAUDIT_STRESS_SEED ?? 1);
/** Of the same weights, for the trainer's forward: it is slow. */
const TRAINER_SPANS = Number(process.env.PLAUDIT_STRESS_TRAINER_SPANS ?? 8);
const TIMEOUT_MS = 600_000;
const DEMO = join(process.cwd(), 'assets', 'demo-model');
const CONTEXT_LENGTH = 256;
const MAX_DISTANCE = 1e-3;
/** Another V8 rounds the last bit of an exponential differently. */
const RUNTIME_TOLERANCE = 1e-5;

const folder = mkdtempSync(join(tmpdir(), 'plaudit-warm-'));
const other = join(folder, 'other');
let program = '';

beforeAll(async () => {
  await startTensorRuntime();
  program = (await buildProgram('engine', { outDir: folder })) ?? '';
  await cp(DEMO, other, { recursive: true });
  await shakeWeights(join(other, 'model.safetensors'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As after a few steps of training, only more. */
async function shakeWeights(file: string): Promise<void> {
  const { tensors } = parseSafetensors(await readFile(file));
  const random = mulberry32(1);
  const shaken = [...tensors].map(([name, { shape, data }]) => {
    const moved = (data as Float32Array).map((value) => value * (0.9 + 0.2 * random()));
    return [name, { shape, data: moved }] as const;
  });
  await writeFile(file, serializeSafetensors(shaken));
}

const started: StartedProcess[] = [];
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ child }) => exitOf(child)));
});

async function start(model: string, extra: readonly string[] = [], electron?: string): Promise<EngineClient> {
  const process = await startProcess({
    program,
    arguments: ['--model-path', model, '--port', '0', '--exit-on-stdin-eof', '--weight-version', 'v0', ...extra],
    ...(electron === undefined ? {} : { electron }),
  });
  started.push(process);
  return new EngineClient(process.url, null);
}

/** One engine for each folder answers all comparisons: its caches are flushed before each. */
const coldEngines = new Map<string, Promise<EngineClient>>();
function cold(model: string): Promise<EngineClient> {
  const engine = coldEngines.get(model) ?? start(model);
  coldEngines.set(model, engine);
  return engine;
}

/** compiled once: both sets of weights have the same shape */
let trainer: TokenLogprobs | null = null;

async function chat(engine: EngineClient, seed: number): Promise<Asked[]> {
  const { tokenizer } = await readModelFolder(DEMO);
  return chatTraffic({ engine, tokenizer, seed, chats: CHATS, turns: TURNS, contextLength: CONTEXT_LENGTH });
}

/** Compares all with cold engines and some with the trainer. */
async function compare(spans: readonly Span[]): Promise<void> {
  for (const path of new Set(spans.map(({ folder }) => folder))) {
    const own = spans.filter((span) => span.folder === path);
    const engine = await cold(path);
    for (const span of own) expect(await differenceFromCold(engine, span), JSON.stringify(span.asked.body)).toBeNull();
    const { config, params } = await loadCheckpoint(path);
    const device = toDevice(config, params);
    trainer ??= makeTokenLogprobs(config);
    const distance = await trainerDistance(trainer, device, someOf(own));
    disposeParams(device);
    expect(distance.tokens).toBeGreaterThan(0);
    expect(distance.largest).toBeLessThan(MAX_DISTANCE);
  }
}

/** Evenly over all of them. */
function someOf(spans: readonly Span[]): Span[] {
  const every = Math.max(1, Math.ceil(spans.length / TRAINER_SPANS));
  return spans.filter((_, i) => i % every === 0);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('a busy engine', () => {
  it.each([
    ['with room for all', SEED, []],
    ['that has to retract', SEED + 1, ['--max-total-tokens', '256']],
  ] as const)(
    '%s answers as a cold one and as the trainer',
    async (_name, seed, extra) => {
      const answers = await chat(await start(DEMO, extra), seed);
      const retractions = sum(answers.map(({ answer }) => Number(answer.meta.num_retractions)));
      expect(retractions > 0).toBe(extra.length > 0);
      expect(answers.filter(({ answer }) => Number(answer.meta.cached_tokens) > 0).length).toBeGreaterThan(0);
      const spans = spansOf(answers, new Map([['v0', DEMO]]), new Set());
      expect(sum(spans.map(({ start, end }) => end - start))).toBe(sum(answers.map(({ answer }) => answer.ids.length)));
      await compare(spans);
    },
    TIMEOUT_MS,
  );

  it(
    'under pauses and weight updates answers as cold ones and as the trainer',
    async () => {
      const busy = await start(DEMO, ['--max-total-tokens', '1024']);
      let isOver = false;
      const disturbing = disturb(
        {
          engine: busy,
          random: seededRandom(SEED),
          folders: [DEMO, other],
          firstVersion: 'v0',
          pauseMs: 40,
          most: 4 * CHATS,
        },
        () => isOver,
      );
      const answers = await chat(busy, SEED + 2).finally(() => {
        isOver = true;
      });
      const { weights, overOldCache, updates } = await disturbing;
      const spans = spansOf(answers, weights, overOldCache);
      expect(updates).toBeGreaterThan(0);
      expect(spans.filter(({ start }) => start > 0).length).toBeGreaterThan(0);
      await compare(spans);
    },
    TIMEOUT_MS,
  );
});

describe('Electron as Node', () => {
  const electron = electronBinary();

  it.runIf(electron !== null)(
    'answers with the same tokens as this Node',
    async () => {
      const answers = await chat(await start(DEMO, [], electron!), SEED + 3);
      const ours = await cold(DEMO);
      for (const span of spansOf(answers, new Map([['v0', DEMO]]), new Set()))
        expect(await differenceFromCold(ours, span, RUNTIME_TOLERANCE), JSON.stringify(span.asked.body)).toBeNull();
    },
    TIMEOUT_MS,
  );
});
