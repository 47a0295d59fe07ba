import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock';
import { type Logger, silentLogger } from '../../platform/logger';
import { systemRandom } from '../../platform/random';
import type { EngineLocator, GenerateEvent, GenerateTask } from '../backend';
import { SglangBackend, type SglangBackendPorts } from './sglang-backend';
import { FakeSglang, type FakeSglangOptions, tokenAt } from './testing/fake-sglang';
import { MovableLocator } from './testing/movable-locator';
import { sampleTask } from './testing/sample-task';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function startFake(options: FakeSglangOptions = {}): Promise<FakeSglang> {
  const fake = await FakeSglang.start(options);
  cleanUps.push(() => fake.stop());
  return fake;
}

function createBackend(
  locator: EngineLocator,
  { engineWaitMs = 20_000, ...more }: Partial<SglangBackendPorts> = {},
): SglangBackend {
  const ports = { locator, clock: systemClock, random: systemRandom, logger: silentLogger, engineWaitMs };
  const backend = new SglangBackend({ ...ports, ...more });
  cleanUps.push(() => backend.close());
  return backend;
}

async function serving(
  options: FakeSglangOptions = {},
  more: Partial<SglangBackendPorts> = {},
): Promise<{ fake: FakeSglang; backend: SglangBackend; locator: MovableLocator }> {
  const fake = await startFake(options);
  const locator = new MovableLocator('engine-key');
  locator.move(fake.url);
  const backend = createBackend(locator, more);
  await untilStatus(backend, (state) => state !== 'waiting');
  return { fake, backend, locator };
}

function untilStatus(backend: SglangBackend, isReached: (state: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!isReached(backend.status().state)) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = backend.subscribe(check);
    check();
  });
}

const PROMPT = [1, 2, 3];
const task = (maxNewTokens: number, fields: Partial<GenerateTask> = {}): GenerateTask =>
  sampleTask({ promptTokenIds: PROMPT, maxNewTokens, stopTokenIds: [0], seed: 5, ...fields });
/** What an undisturbed engine samples after the prompt. */
const expected = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => tokenAt(PROMPT.length + index));

interface Answer {
  readonly ids: number[];
  readonly versions: number[];
  readonly last: GenerateEvent;
}

async function collect(events: AsyncIterable<GenerateEvent>, onToken?: (count: number) => void): Promise<Answer> {
  const ids: number[] = [];
  const versions: number[] = [];
  let last: GenerateEvent | undefined;
  for await (const event of events) {
    if (event.kind === 'token-delta') {
      expect(event.delta.logprobs).toEqual(event.delta.tokenIds.map(() => -0.5));
      ids.push(...event.delta.tokenIds);
      versions.push(...event.delta.versions);
      onToken?.(ids.length);
    } else {
      expect(last).toBeUndefined();
      last = event;
    }
  }
  if (last === undefined) throw new Error('no last event');
  return { ids, versions, last };
}

const never = (): AbortSignal => new AbortController().signal;

describe('generate', () => {
  it.each([
    ['incremental', true],
    ['incremental', false],
    ['cumulative', true],
    ['cumulative', false],
  ] as const)('reads a %s stream, version spans: %s', async (style, hasVersionSpans) => {
    const { backend } = await serving({ style, hasVersionSpans, weightVersion: '3' });
    const answer = await collect(backend.generate(task(6), never()));
    expect(answer).toEqual({
      ids: expected(6),
      versions: [3, 3, 3, 3, 3, 3],
      last: { kind: 'end', finishReason: 'length', matched: null },
    });
    expect(backend.status()).toMatchObject({ state: 'serving', servedVersion: 3, contextLength: 128, running: 0 });
  });

  it.each([
    ['nothing but the budget', {}, { temperature: 1 }, ['top_p', 'top_k', 'json_schema', 'stop']],
    ['top-k', { topK: 20 }, { top_k: 20 }, []],
    ['top-p', { topP: 0.5 }, { top_p: 0.5 }, []],
    ['penalties', { frequencyPenalty: 1, presencePenalty: -1 }, { frequency_penalty: 1, presence_penalty: -1 }, []],
    ['a schema', { jsonSchema: '{"type":"object"}' }, { json_schema: '{"type":"object"}' }, []],
    ['stop strings', { stopStrings: ['a', 'b'] }, { stop: ['a', 'b'] }, []],
  ])('asks for %s', async (_reason, fields, sent, absent) => {
    const { fake, backend } = await serving();
    await collect(backend.generate(task(2, fields), never()));
    expect(fake.generateBodies[0]?.sampling_params).toMatchObject(sent);
    for (const name of absent) expect(fake.generateBodies[0]?.sampling_params).not.toHaveProperty(name);
    expect(fake.generateBodies[0]).not.toHaveProperty('top_logprobs_num');
  });

  it.each(['incremental', 'cumulative'] as const)('reads alternatives of a %s stream', async (style) => {
    const { backend } = await serving({ style });
    const seen: unknown[] = [];
    for await (const event of backend.generate(task(3, { topLogprobs: 2 }), never()))
      if (event.kind === 'token-delta') seen.push(...(event.delta.topLogprobs ?? []));
    expect(seen).toEqual(
      expected(3).map((id) => [
        { tokenId: id, logprob: -0.5 },
        { tokenId: id + 1, logprob: -1.5 },
      ]),
    );
  });

  it.each([
    ['SGLang as it starts', { grammar_backend: 'xgrammar' }, true],
    ['SGLang without grammars', { grammar_backend: 'none' }, false],
    ['a server that says nothing', {}, false],
    ['the embedded engine', { engine: 'embedded', grammar_backend: null }, false],
  ])('tells whether answers can be bound to a schema: %s', async (_reason, serverInfo, jsonSchema) => {
    const { backend } = await serving({ serverInfo });
    expect(backend.status().supports).toEqual({ jsonSchema, topLogprobs: true });
  });

  it('gives up an answer bound to a schema when it is cut, because the grammar would start anew', async () => {
    const { backend } = await serving({
      beforeToken: (index, response) => {
        if (index === 2) response.destroy();
      },
    });
    const answer = await collect(backend.generate(task(6, { jsonSchema: '{}' }), never()));
    expect(answer.ids).toEqual(expected(2));
    expect(answer.last).toMatchObject({ kind: 'error', error: { kind: 'engine-unavailable' } });
  });

  it('lets calls beyond its limit wait for their turn, answers all of them in order, and says so', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const lines: [string, string][] = [];
    const logger: Logger = { log: (level, event) => lines.push([level, event]) };
    const { fake, backend } = await serving({ beforeToken: () => released }, { mostCalls: 2, logger });
    const answers = Array.from({ length: 6 }, (_, seed) => collect(backend.generate(task(2, { seed }), never())));
    while (backend.calls().waiting < 4) await new Promise((resolve) => setImmediate(resolve));
    expect(backend.calls()).toEqual({ open: 2, waiting: 4 });
    expect(backend.status().running).toBe(6);
    expect(lines).toEqual([['warn', 'engine-calls-wait']]);
    release();
    for (const { ids, last } of await Promise.all(answers)) {
      expect(ids).toEqual(expected(2));
      expect(last).toMatchObject({ kind: 'end', finishReason: 'length' });
    }
    expect(fake.generateBodies.map((body) => body.sampling_params.sampling_seed)).toEqual([0, 1, 2, 3, 4, 5]);
    while (backend.calls().open > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([
      ['warn', 'engine-calls-wait'],
      ['info', 'engine-calls-flow'],
    ]);
  });

  it('sends the engine key, the seed and the stop tokens', async () => {
    let authorization: string | undefined;
    const { fake, backend } = await serving({
      beforeToken: (_index, response) => {
        authorization = response.req.headers.authorization;
      },
    });
    await collect(backend.generate(task(1), never()));
    expect(authorization).toBe('Bearer engine-key');
    expect(fake.generateBodies[0]?.sampling_params).toMatchObject({
      sampling_seed: 5,
      stop_token_ids: [0],
      max_new_tokens: 1,
    });
  });

  it('runs many calls at once on kept connections', async () => {
    const { backend } = await serving();
    const answers = await Promise.all(Array.from({ length: 20 }, () => collect(backend.generate(task(9), never()))));
    for (const answer of answers) expect(answer.ids).toEqual(expected(9));
  });

  it('keeps the tokens of an aborted call and ends it as aborted', async () => {
    const { fake, backend } = await serving();
    const client = new AbortController();
    const answer = await collect(backend.generate(task(100), client.signal), (count) => count === 5 && client.abort());
    expect(answer.last).toEqual({ kind: 'end', finishReason: 'abort', matched: null });
    expect(answer.ids.length).toBeGreaterThanOrEqual(5);
    expect(answer.ids).toEqual(expected(answer.ids.length));
    expect(fake.asked).toContain('/abort_request');
  });

  it('stops the engine when the caller stops listening', async () => {
    const { fake, backend } = await serving();
    for await (const event of backend.generate(task(100_000), never())) if (event.kind === 'token-delta') break;
    while (!fake.asked.includes('/abort_request')) await new Promise((resolve) => setImmediate(resolve));
    expect(backend.status().running).toBe(0);
  });

  it('goes on where it was when the engine dies and comes back on another port', async () => {
    const locator = new MovableLocator('engine-key');
    const dying = await startFake({ beforeToken: (index, response) => void (index === 4 && response.destroy()) });
    const next = await startFake({ weightVersion: '1' });
    locator.move(dying.url);
    const backend = createBackend(locator);
    const answer = await collect(backend.generate(task(10), never()), (count) => {
      if (count !== 4) return;
      locator.move(null);
      setTimeout(() => locator.move(next.url), 50);
    });
    expect(answer.ids).toEqual(expected(10));
    expect(answer.versions).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    expect(next.generateBodies[0]).toMatchObject({
      input_ids: [...PROMPT, ...expected(4)],
      sampling_params: { max_new_tokens: 6, sampling_seed: 5 },
    });
  });

  it('finds the engine again at the same address', async () => {
    const { fake, backend } = await serving({
      beforeToken: (index, response) => void (index === 2 && response.destroy()),
    });
    const answer = await collect(backend.generate(task(5), never()));
    expect(answer.ids).toEqual(expected(5));
    expect(fake.generateBodies.map((body) => body.input_ids.length)).toEqual([3, 5, 7]);
  });

  it('tries again when the engine is overloaded', async () => {
    let calls = 0;
    const { backend } = await serving({
      answer: (_request, response) => {
        calls += 1;
        if (calls > 2) return false;
        response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'queue full' }));
        return true;
      },
    });
    expect((await collect(backend.generate(task(3), never()))).ids).toEqual(expected(3));
    expect(calls).toBe(3);
  });

  it.each([
    ['an HTTP error', 400, '{"error":{"message":"top_p 1.5 is outside (0, 1]"}}'],
    [
      'an error inside the stream',
      200,
      'data: {"error":{"message":"top_p 1.5 is outside (0, 1]","code":400}}\n\ndata: [DONE]\n\n',
    ],
    [
      'an abort with a status',
      200,
      event([], { type: 'abort', message: 'top_p 1.5 is outside (0, 1]', status_code: 400 }),
    ],
  ])('hands a refusal on: %s', async (_reason, status, body) => {
    const { backend } = await serving({ answer: (_request, response) => respond(response, status, body) });
    const { last } = await collect(backend.generate(task(3), never()));
    expect(last).toMatchObject({
      kind: 'error',
      error: { kind: 'engine-refused', message: expect.stringContaining('top_p') },
    });
  });

  it.each([
    ['no log-probs', event([5], null, { output_token_logprobs: [] })],
    ['a log-prob of another token', event([5], null, { output_token_logprobs: [[-1, 6, null]] })],
    ['a log-prob that is not a number', event([5], null, { output_token_logprobs: [[null, 5, null]] })],
    ['a count that does not fit', event([5], null, { completion_tokens: 7 })],
    ['a version that is no number', event([5], null, { weight_version: 'default' })],
    ['no version', event([5], null, { weight_version: undefined })],
    ['too short spans', event([5], null, { weight_versions: [], weight_version: undefined })],
    ['spans with a gap', event([5], null, { weight_versions: [{ version: '0', start: 1, end: 2 }] })],
    ['no JSON', 'data: {oops\n\n'],
  ])('refuses evidence with %s', async (_reason, body) => {
    const { backend } = await serving({ answer: (_request, response) => respond(response, 200, body) });
    const { ids, last } = await collect(backend.generate(task(3), never()));
    expect(ids).toEqual([]);
    expect(last).toMatchObject({ kind: 'error', error: { kind: 'bad-evidence' } });
  });

  it('says so when no engine comes in time', async () => {
    const { ids, last } = await collect(
      createBackend(new MovableLocator('engine-key'), { engineWaitMs: 30 }).generate(task(3), never()),
    );
    expect(ids).toEqual([]);
    expect(last).toMatchObject({ kind: 'error', error: { kind: 'engine-unavailable' } });
  });

  it('ends as aborted while it waits for an engine', async () => {
    const client = new AbortController();
    const pending = collect(createBackend(new MovableLocator('engine-key')).generate(task(3), client.signal));
    client.abort();
    expect((await pending).last).toEqual({ kind: 'end', finishReason: 'abort', matched: null });
  });
});

describe('publish', () => {
  const weights = { path: '/run/v1', version: 1 };

  it('interrupts a running answer, which goes on with the new version', async () => {
    const { fake, backend } = await serving();
    let publishing: Promise<unknown> | undefined;
    const answer = await collect(backend.generate(task(40), never()), (count) => {
      if (count === 7) publishing = backend.publish(weights);
    });
    expect(await publishing).toEqual({ kind: 'served' });
    expect(answer.ids).toEqual(expected(40));
    const cut = answer.versions.indexOf(1);
    expect(cut).toBeGreaterThanOrEqual(7);
    expect(answer.versions).toEqual([...new Array(cut).fill(0), ...new Array(40 - cut).fill(1)]);
    expect(backend.status()).toMatchObject({ state: 'serving', servedVersion: 1 });
    const control = fake.asked.filter((path) => path !== '/generate');
    expect(control.slice(-4)).toEqual([
      '/pause_generation',
      '/flush_cache',
      '/update_weights_from_disk',
      '/continue_generation',
    ]);
  });

  it('flushes until the engine is idle', async () => {
    const { fake, backend } = await serving({ busyFlushes: 2 });
    expect(await backend.publish(weights)).toEqual({ kind: 'served' });
    expect(fake.asked.filter((path) => path === '/flush_cache')).toHaveLength(3);
    expect(fake.asked.indexOf('/update_weights_from_disk')).toBeGreaterThan(fake.asked.lastIndexOf('/flush_cache'));
  });

  it('leaves the old version answering when the weights are refused', async () => {
    const { fake, backend } = await serving({ refuseWeights: true });
    expect(await backend.publish(weights)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('tensor'),
    });
    expect(fake.isPaused).toBe(false);
    const answer = await collect(backend.generate(task(3), never()));
    expect(answer.versions).toEqual([0, 0, 0]);
    expect(backend.status()).toMatchObject({ state: 'serving', servedVersion: 0 });
  });

  it('is refused while there is no engine', async () => {
    expect(await createBackend(new MovableLocator('engine-key')).publish(weights)).toMatchObject({
      kind: 'unavailable',
    });
  });

  it('says unavailable when the engine dies under it, and recovers with the next one', async () => {
    const { fake, backend, locator } = await serving({ busyFlushes: 1_000_000 });
    const publishing = backend.publish(weights);
    while (!fake.asked.includes('/flush_cache')) await new Promise((resolve) => setImmediate(resolve));
    locator.move(null);
    await fake.stop();
    expect(await publishing).toMatchObject({ kind: 'unavailable' });
    const next = await startFake({ weightVersion: '1' });
    locator.move(next.url);
    expect((await collect(backend.generate(task(2), never()))).versions).toEqual([1, 1]);
  });

  it('does one after the other', async () => {
    const { fake, backend } = await serving();
    const outcomes = await Promise.all([1, 2, 3].map((version) => backend.publish({ path: `/v${version}`, version })));
    expect(outcomes).toEqual([{ kind: 'served' }, { kind: 'served' }, { kind: 'served' }]);
    expect(backend.status().servedVersion).toBe(3);
    expect(fake.asked.filter((path) => path.startsWith('/pause') || path.startsWith('/update'))).toEqual(
      [1, 2, 3].flatMap(() => ['/pause_generation', '/update_weights_from_disk']),
    );
  });
});

describe('status', () => {
  it('names an engine whose version label is no number', async () => {
    const { backend } = await serving({ weightVersion: 'default' });
    expect(backend.status()).toMatchObject({
      state: 'failed',
      servedVersion: null,
      detail: expect.stringContaining('default'),
    });
  });

  it('continues an engine that somebody left paused', async () => {
    const fake = await startFake();
    fake.isPaused = true;
    const locator = new MovableLocator('engine-key');
    locator.move(fake.url);
    const backend = createBackend(locator);
    expect((await collect(backend.generate(task(2), never()))).ids).toEqual(expected(2));
  });
});

function event(ids: number[], reason: unknown, meta: Record<string, unknown> = {}): string {
  const meta_info = {
    id: 'r',
    finish_reason: reason,
    completion_tokens: ids.length,
    weight_version: '0',
    output_token_logprobs: ids.map((id) => [-1, id, null]),
    ...meta,
  };
  return `data: ${JSON.stringify({ output_ids: ids, meta_info })}\n\n`;
}

function respond(
  response: { writeHead(status: number): unknown; end(text: string): unknown },
  status: number,
  body: string,
): true {
  response.writeHead(status);
  response.end(body);
  return true;
}
