import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TINY_SPECIALS } from '../../embedded/model/testing/tiny-tokenizer';
import { interactionId } from '../../shared/domain/ids';
import { errorBodySchema } from '../../shared/wire/errors';
import {
  type ChatCompletionChunk,
  chatCompletionChunkSchema,
  chatCompletionSchema,
} from '../../shared/wire/openai-chat';
import { type InteractionView, interactionViewSchema } from '../../shared/wire/rl';
import type { ScriptStep } from '../backends/scripted/scripted-backend';
import { openDatabase } from '../store/database';
import { InteractionStore } from '../store/interactions';
import { GatewayPool } from '../testing/gateway-pool';
import { ADMIN_KEY, CONTEXT_LENGTH, type TestGateway } from '../testing/test-gateway';

const gateways = new GatewayPool();
const { create } = gateways;
afterEach(() => gateways.close());

const user = (content: string) => ({ role: 'user', content });
const bytes = (text: string): number[] => [...Buffer.from(text, 'utf8')];

async function readInteraction(test: TestGateway, id: string): Promise<InteractionView> {
  const reply = await test.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
  return interactionViewSchema.parse(await reply.json());
}

/** Chunks of a streamed answer; fails unless the stream ends with [DONE]. */
async function readChunks(reply: Response): Promise<ChatCompletionChunk[]> {
  const frames = (await reply.text()).split('\n\n').filter((frame) => frame !== '');
  expect(frames.pop()).toBe('data: [DONE]');
  return frames.map((frame) => chatCompletionChunkSchema.parse(JSON.parse(frame.slice('data: '.length))));
}

const textOf = (chunks: readonly ChatCompletionChunk[]): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

describe.each(['/chat/completions', '/v1/chat/completions'])('POST %s', (path) => {
  it('answers whole, and stores exactly what was sent and sampled', async () => {
    const test = create();
    const { key, id: session } = await test.startSession();
    const reply = await test.call('POST', path, { key, body: { model: 'any', messages: [user('hi')] } });
    expect(reply.status).toBe(200);
    const body = chatCompletionSchema.parse(await reply.json());
    expect(body.id).toMatch(/^chatcmpl-[0-9a-f]{29}$/);
    expect(body.choices[0]).toMatchObject({ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' });
    const prompt = [256, ...bytes('user\nhi'), 257, ...bytes('\n'), 256, ...bytes('assistant\n')];
    expect(test.tasks[0]?.promptTokenIds).toEqual(prompt);
    expect(body.usage).toEqual({
      prompt_tokens: prompt.length,
      completion_tokens: 3,
      total_tokens: prompt.length + 3,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(body.plaudit).toEqual({ session_id: session, interaction_id: body.id, version_rle: [[0, 3]] });
    expect(await readInteraction(test, body.id)).toMatchObject({
      state: 'finished',
      output: 'ok',
      finish_reason: 'stop',
      prompt_tokens: prompt.length,
      tokens: [
        { id: 111, text: 'o', logprob: -0.5, version: 0 },
        { id: 107, text: 'k', logprob: -0.5, version: 0 },
        { id: TINY_SPECIALS.imEnd, text: '<|im_end|>', logprob: -0.25, version: 0 },
      ],
    });
  });

  it('streams the same answer token by token', async () => {
    const test = create();
    const { key } = await test.startSession();
    const body = { model: 'any', messages: [user('hi')], stream: true };
    const reply = await test.call('POST', path, { key, body });
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const chunks = await readChunks(reply);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['', 'o', 'k', undefined]);
    expect(chunks.map((chunk) => chunk.plaudit?.version_rle)).toEqual([[], [[0, 1]], [[0, 2]], [[0, 3]]]);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 3 } });
    expect((await readInteraction(test, chunks[0]?.id ?? '')).output).toBe('ok');
  });
});

describe('an answer', () => {
  it('carries several versions when the weights change under it', async () => {
    const test = create({ script: () => [text('aa'), { kind: 'wait', until: published }, text('b')] });
    const published = test.backend.publish({ path: 'x', version: 1 }).then(() => undefined);
    const reply = await test.chat((await test.startSession()).key, 'hi');
    const runs = (await readInteraction(test, reply.id)).version_rle;
    expect(runs.map(([version]) => version)).toEqual([...new Set(runs.map(([version]) => version))]);
    expect(runs.at(-1)?.[0]).toBe(1);
  });

  it.each([
    ['emoji and CJK over several tokens', 'né 你好 😀👨‍👩‍👧!'],
    ['white space at its ends', '  a\n\n'],
  ])('streams %s unharmed', async (_reason, content) => {
    const test = create({ script: () => [text(content)] });
    const { key } = await test.startSession();
    const body = { model: 'm', messages: [user('hi')], stream: true };
    const chunks = await readChunks(await test.call('POST', '/chat/completions', { key, body }));
    expect(textOf(chunks)).toBe(content);
    for (const chunk of chunks) expect(chunk.choices[0]?.delta.content ?? '').not.toContain('\uFFFD');
  });

  it.each([
    ['one string', 'XY', 'abcXYdef', 'abc'],
    ['the earliest of several', ['e', 'XY'], 'abcXYdef', 'abc'],
    ['none that occurs', ['Q'], 'abcX', 'abcX'],
    ['one that begins at the end', ['XYZ'], 'abcXY', 'abcXY'],
    ['an empty string', ['', 'c'], 'abc', 'ab'],
  ])('is cut before a stop string: %s', async (_reason, stop, sampled, shown) => {
    const test = create({ script: () => [text(sampled)] });
    const { key } = await test.startSession();
    const reply = await test.chat(key, 'hi', { stop });
    expect(reply.text).toBe(shown);
    const body = { model: 'm', messages: [user('hi')], stream: true, stop };
    expect(textOf(await readChunks(await test.call('POST', '/chat/completions', { key, body })))).toBe(shown);
    const { tokens = [], finish_reason } = await readInteraction(test, reply.id);
    expect(finish_reason).toBe('stop');
    // Every sampled token up to the one that completed the stop string is evidence, shown or not.
    expect(tokens.length).toBeGreaterThanOrEqual(shown.length);
    expect(
      sampled.startsWith(
        tokens
          .filter((token) => token.id < 256)
          .map((token) => token.text)
          .join(''),
      ),
    ).toBe(true);
  });

  it('ends at the budget and says so', async () => {
    const test = create({ script: () => [text('abcdef')] });
    const reply = await test.chat((await test.startSession()).key, 'hi', { max_tokens: 4 });
    expect(reply.body.choices).toMatchObject([{ finish_reason: 'length', message: { content: 'abcd' } }]);
  });

  it('has its budget cut to what the context leaves', async () => {
    const test = create();
    await test.chat((await test.startSession()).key, 'hi', { max_tokens: 100_000 });
    const task = test.tasks[0];
    expect(task?.maxNewTokens).toBe(CONTEXT_LENGTH - (task?.promptTokenIds.length ?? 0));
  });

  it.each([
    ['nothing', {}, { temperature: 1, topP: 1 }, false],
    ['a temperature', { temperature: 0.5 }, { temperature: 0.5 }, false],
    ['nulls', { temperature: null, top_p: null, n: null, stop: null, seed: null }, { temperature: 1, topP: 1 }, false],
    ['top-p', { top_p: 0.9 }, { topP: 0.9 }, true],
    ['a frequency penalty', { frequency_penalty: 0.1 }, { frequencyPenalty: 0.1 }, true],
    ['a presence penalty', { presence_penalty: -1 }, { presencePenalty: -1 }, true],
    ['greedy sampling', { temperature: 0 }, { temperature: 0 }, true],
    ['a seed', { seed: 7 }, { seed: 7 }, false],
  ])('is sampled as asked and marked distorted when it must be: %s', async (_reason, fields, task, distorted) => {
    const test = create();
    const reply = await test.chat((await test.startSession()).key, 'hi', fields);
    expect(test.tasks[0]).toMatchObject(task);
    await test.gateway.close();
    const database = openDatabase(join(test.dataDir, 'runs', 'plaudit', 'trial0', 'plaudit.db'));
    const stored = new InteractionStore(database).find(interactionId(reply.id));
    database.close();
    expect(stored).toMatchObject({ distorted, temperature: test.tasks[0]?.temperature });
  });

  it('becomes the child of the conversation it continues', async () => {
    const test = create();
    const { key } = await test.startSession();
    const first = await test.chat(key, 'one');
    const history = [user('one'), { role: 'assistant', content: 'ok', refusal: null, tool_calls: null }, user('two')];
    const second = await test.chat(key, '', { messages: history });
    const branch = await test.chat(key, '', {
      messages: [user('one'), { role: 'assistant', content: 'no' }, user('2')],
    });
    expect((await readInteraction(test, first.id)).parent_id).toBeNull();
    expect((await readInteraction(test, second.id)).parent_id).toBe(first.id);
    expect((await readInteraction(test, branch.id)).parent_id).toBeNull();
  });

  it('takes text parts and refuses what it would have to drop', async () => {
    const test = create();
    const { key } = await test.startSession();
    const parts = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    expect((await test.chat(key, '', { messages: parts })).status).toBe(200);
    const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }];
    expect((await test.chat(key, '', { messages: image })).status).toBe(400);
  });
});

describe('a chat request', () => {
  const good = { model: 'm', messages: [user('hi')] };
  it.each([
    ['no key', null, good, 401, 'invalid_api_key'],
    ['the admin key', ADMIN_KEY, good, 401, 'invalid_api_key'],
    ['broken JSON', undefined, '{"model": "m", "messages": [', 400, 'bad_json'],
    ['no model', undefined, { messages: [user('hi')] }, 422, 'bad_body'],
    ['no messages', undefined, { model: 'm' }, 422, 'bad_body'],
    ['no message', undefined, { model: 'm', messages: [] }, 422, 'bad_body'],
    ['a message without role', undefined, { model: 'm', messages: [{ content: 'x' }] }, 422, 'bad_body'],
    [
      'bottomless nesting',
      undefined,
      `{"model":"m","messages":[{"role":"user","content":"x","y":${'['.repeat(1900)}${']'.repeat(1900)}}]}`,
      422,
      'bad_body',
    ],
    ['no choice', undefined, { ...good, n: 0 }, 422, 'bad_body'],
    ['too many choices', undefined, { ...good, n: 129 }, 422, 'bad_body'],
    ['two budgets', undefined, { ...good, max_tokens: 5, max_completion_tokens: 6 }, 400, 'unsupported_parameter'],
    ['no budget', undefined, { ...good, max_tokens: 0 }, 422, 'bad_body'],
    ['top-p above 1', undefined, { ...good, top_p: 1.5 }, 422, 'bad_body'],
    [
      'a prompt over the context',
      undefined,
      { model: 'm', messages: [user('x'.repeat(300))] },
      400,
      'context_length_exceeded',
    ],
    ['a body over the limit', undefined, { model: 'm', messages: [user('x'.repeat(5000))] }, 413, 'body_too_large'],
  ])('with %s is refused and stores nothing', async (_reason, givenKey, body, status, code) => {
    const test = create({ config: { bodyLimitBytes: 4096 } });
    const session = await test.startSession();
    const key = givenKey === undefined ? session.key : givenKey;
    const reply = await test.call('POST', '/v1/chat/completions', { key, body });
    expect(reply.status).toBe(status);
    expect(errorBodySchema.parse(await reply.json()).error.code).toBe(code);
    expect(test.tasks).toEqual([]);
    const stored = await test.call('GET', `/rl/sessions/${session.id}`, { key: ADMIN_KEY });
    expect(await stored.json()).toMatchObject({ interactions: [] });
  });

  it('over the context is told both numbers', async () => {
    const test = create();
    const { body } = await test.chat((await test.startSession()).key, 'x'.repeat(300));
    expect(String(body.detail)).toMatch(/256 tokens.*\d{3} tokens/);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('as %s is refused', async (type) => {
    const test = create();
    const { key } = await test.startSession();
    const body = JSON.stringify(good);
    const reply = await test.call('POST', '/chat/completions', { key, body, headers: { 'content-type': type } });
    expect(reply.status).toBe(422);
    expect(errorBodySchema.parse(await reply.json()).detail).toContain('application/json');
  });
});

describe('a compressed body', () => {
  it.each([
    ['gzip', 415],
    ['deflate, br', 415],
    ['identity', 200],
    ['Identity', 200],
  ])('%s is answered with %i', async (encoding, status) => {
    const test = create();
    const { key } = await test.startSession();
    const body = { model: 'm', messages: [user('hi')] };
    const reply = await test.call('POST', '/chat/completions', {
      key,
      body,
      headers: { 'content-encoding': encoding },
    });
    expect(reply.status).toBe(status);
    if (status === 415) expect(errorBodySchema.parse(await reply.json()).detail).toContain(encoding);
  });
});

describe('an engine that fails', () => {
  const failure = (kind: 'engine-unavailable' | 'engine-refused' | 'bad-evidence'): ScriptStep => ({
    kind: 'error',
    error: { kind, message: 'because' },
  });
  const tokens = (delta: Extract<ScriptStep, { kind: 'tokens' }>['delta']): ScriptStep => ({ kind: 'tokens', delta });
  it.each([
    ['is away', [failure('engine-unavailable')], 503],
    ['refuses', [failure('engine-refused')], 400],
    ['is away half-way', [text('ab'), failure('engine-unavailable')], 503],
    ['sends too few log-probs', [tokens({ tokenIds: [1, 2], logprobs: [-1], versions: [0, 0] })], 502],
    ['sends a token outside the vocabulary', [tokens({ tokenIds: [259], logprobs: [-1], versions: [0] })], 502],
  ] as const)('and %s gives an error and an unrateable row', async (_reason, steps, status) => {
    const test = create({ script: () => steps });
    const { key, id } = await test.startSession();
    const reply = await test.call('POST', '/chat/completions', { key, body: { model: 'm', messages: [user('hi')] } });
    expect(reply.status).toBe(status);
    expect(errorBodySchema.safeParse(await reply.json()).success).toBe(true);
    const session = (await (await test.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY })).json()) as {
      interactions: InteractionView[];
    };
    expect(session.interactions).toMatchObject([{ state: 'failed' }]);
    const rated = await test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    expect(rated.status).toBe(400);
  });

  it('half-way ends a stream with an error event and without [DONE]', async () => {
    const test = create({ script: () => [text('ab'), failure('engine-unavailable')] });
    const { key } = await test.startSession();
    const body = { model: 'm', messages: [user('hi')], stream: true };
    const reply = await test.call('POST', '/chat/completions', { key, body });
    const frames = (await reply.text()).split('\n\n').filter((frame) => frame !== '');
    expect(errorBodySchema.parse(JSON.parse(frames.at(-1)?.slice(6) ?? '')).error.code).toBe('engine_unavailable');
  });
});

describe('evidence that is not sound', () => {
  it.each([
    ['an infinite log-prob', { logprobs: [-1, Number.NEGATIVE_INFINITY] }, /log-prob -Infinity/],
    ['the lowest float', { logprobs: [-3.4e38, -1] }, /log-prob -3.4e\+38/],
    ['a positive log-prob', { logprobs: [-1, 0.5] }, /log-prob 0.5/],
    ['no version', { versions: [0, -1] }, /weight version -1/],
    ['a version nobody has made', { versions: [0, 1] }, /weight version 1; known are 0 to 0/],
  ])('such as %s is delivered, and stored with the reason why it cannot be trained', async (_reason, part, reason) => {
    const delta = { tokenIds: bytes('hi'), logprobs: [-1, -1], versions: [0, 0], ...part };
    const test = create({ script: () => [{ kind: 'tokens', delta }] });
    const reply = await test.chat((await test.startSession()).key, 'hi');
    expect(reply).toMatchObject({ status: 200, text: 'hi' });
    const view = await readInteraction(test, reply.id);
    expect(view.state).toBe('finished');
    expect(view.untrainable).toMatch(reason);
  });

  it('is not what an ordinary answer has', async () => {
    const test = create();
    const reply = await test.chat((await test.startSession()).key, 'hi', { stop: 'k' });
    expect(await readInteraction(test, reply.id)).toMatchObject({ output: 'o', untrainable: null });
  });
});

describe('a client that goes away', () => {
  it.each(['whole', 'streamed'])('leaves a finished partial answer that can be rated: %s', async (form) => {
    let waiting: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    const forever: ScriptStep = {
      kind: 'wait',
      get until(): Promise<void> {
        waiting();
        return new Promise(() => undefined);
      },
    };
    const test = create({ script: () => [text('par'), forever], config: { retryGraceMs: 0 } });
    const { key, id } = await test.startSession();
    const client = new AbortController();
    const body = { model: 'm', messages: [user('hi')], stream: form === 'streamed' };
    const pending = test.call('POST', '/chat/completions', { key, body, signal: client.signal });
    await reached;
    if (form === 'streamed') await (await pending).body?.cancel();
    client.abort();
    if (form === 'whole') await pending;
    const rated = await until(async () => {
      const reply = await test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
      return reply.status === 200 ? ((await reply.json()) as { interaction_id: string }) : null;
    });
    expect(await readInteraction(test, rated.interaction_id)).toMatchObject({
      session_id: id,
      state: 'finished',
      finish_reason: 'abort',
      output: 'par',
      completion_tokens: 3,
      reward: 1,
    });
  });
});

function text(value: string): ScriptStep {
  return { kind: 'text', text: value };
}

/** Asks again until there is an answer; the test's own timeout bounds it. */
async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
