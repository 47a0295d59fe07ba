import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyCheckpoint } from '../../../embedded/model/testing/tiny-checkpoint';
import { systemClock } from '../../platform/clock';
import { silentLogger } from '../../platform/logger';
import { systemRandom } from '../../platform/random';
import type { GenerateEvent, GenerateTask } from '../backend';
import { SglangBackend } from './sglang-backend';
import { buildEngine, type EngineProcess, startEngine } from './testing/embedded-engine-process';
import { MovableLocator } from './testing/movable-locator';
import { sampleTask } from './testing/sample-task';

let program: string;
const folder = mkdtempSync(join(tmpdir(), 'engine-'));
const weights = (version: number): string => join(folder, `v${version}`);
const engines: EngineProcess[] = [];
const locator = new MovableLocator();
let backend: SglangBackend;

const start = async (version: number): Promise<EngineProcess> => {
  const engine = await startEngine(program, weights(version), version);
  engines.push(engine);
  return engine;
};

beforeAll(async () => {
  program = await buildEngine('engine');
  for (const version of [0, 1]) await writeTinyCheckpoint(weights(version), { seed: version + 1 });
  locator.move((await start(0)).url);
  backend = new SglangBackend({
    locator,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    engineWaitMs: 60_000,
  });
});
afterAll(async () => {
  await backend.close();
  for (const engine of engines) await engine.kill();
  rmSync(program, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

const task = (maxNewTokens: number): GenerateTask =>
  sampleTask({ promptTokenIds: [72, 101, 108, 108, 111], maxNewTokens, seed: 11 });

interface Answer {
  readonly ids: number[];
  readonly logprobs: number[];
  readonly versions: number[];
  last: GenerateEvent | null;
}

async function collect(maxNewTokens: number, onToken?: (count: number) => void): Promise<Answer> {
  const answer: Answer = { ids: [], logprobs: [], versions: [], last: null };
  for await (const event of backend.generate(task(maxNewTokens), new AbortController().signal)) {
    if (event.kind !== 'token-delta') {
      answer.last = event;
      continue;
    }
    answer.ids.push(...event.delta.tokenIds);
    answer.logprobs.push(...event.delta.logprobs);
    answer.versions.push(...event.delta.versions);
    onToken?.(answer.ids.length);
  }
  return answer;
}

describe('the driver with the embedded engine', () => {
  it('reports the likeliest tokens, and what it supports', async () => {
    await collect(1);
    expect(backend.status().supports).toEqual({ jsonSchema: false, topLogprobs: true });
    let tokens = 0;
    for await (const event of backend.generate({ ...task(6), topLogprobs: 3 }, new AbortController().signal)) {
      if (event.kind !== 'token-delta') continue;
      for (const [index, top] of (event.delta.topLogprobs ?? []).entries()) {
        tokens += 1;
        expect(top).toHaveLength(3);
        const ranked = top.map(({ logprob }) => logprob);
        expect(ranked).toEqual([...ranked].sort((left, right) => right - left));
        expect(event.delta.logprobs[index]).toBeLessThanOrEqual(ranked[0] ?? Number.NaN);
        const own = top.find(({ tokenId }) => tokenId === event.delta.tokenIds[index]);
        if (own !== undefined) expect(own.logprob).toBeCloseTo(event.delta.logprobs[index] ?? Number.NaN, 5);
      }
    }
    expect(tokens).toBeGreaterThan(0);
  });

  it('gets finite evidence for every token', async () => {
    const answer = await collect(20);
    expect(answer.last).toMatchObject({ kind: 'end' });
    expect(answer.ids.length).toBeGreaterThan(5);
    expect(answer.logprobs.every((value) => Number.isFinite(value) && value <= 0)).toBe(true);
    expect(new Set(answer.versions)).toEqual(new Set([0]));
    expect(backend.status()).toMatchObject({
      state: 'serving',
      name: 'embedded',
      servedVersion: 0,
      contextLength: 256,
    });
  });

  it('continues an answer after a crash exactly as if there had been none', async () => {
    const undisturbed = await collect(40);
    let restarted: Promise<void> | undefined;
    const disturbed = await collect(40, (count) => {
      if (count !== 10 || restarted !== undefined) return;
      locator.move(null);
      restarted = (engines.at(-1) as EngineProcess)
        .kill()
        .then(() => start(0))
        .then((engine) => locator.move(engine.url));
    });
    await restarted;
    expect(disturbed.ids).toEqual(undisturbed.ids);
    expect(disturbed.last).toEqual(undisturbed.last);
    disturbed.logprobs.forEach((value, index) => {
      expect(value).toBeCloseTo(undisturbed.logprobs[index] ?? Number.NaN, 4);
    });
  });

  it('keeps the old weights when the new ones are not there', async () => {
    expect(await backend.publish({ path: weights(99), version: 99 })).toMatchObject({ kind: 'refused' });
    expect(new Set((await collect(5)).versions)).toEqual(new Set([0]));
  });

  it('changes the weights in the middle of an answer, whose tokens say so', async () => {
    const old = await collect(40);
    let publishing: Promise<unknown> | undefined;
    const answer = await collect(40, (count) => {
      if (count === 10) publishing = backend.publish({ path: weights(1), version: 1 });
    });
    expect(await publishing).toEqual({ kind: 'served' });
    expect(backend.status()).toMatchObject({ state: 'serving', servedVersion: 1 });
    const cut = answer.versions.indexOf(1);
    expect(cut).toBeGreaterThanOrEqual(10);
    expect(answer.versions.slice(cut).every((version) => version === 1)).toBe(true);
    expect(answer.ids.slice(0, cut)).toEqual(old.ids.slice(0, cut));
    expect((await collect(10)).ids).not.toEqual(old.ids.slice(0, 10));
  });
});
