import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type InteractionView, interactionViewSchema, sessionDetailSchema } from '../../shared/wire/rl';
import type { ScriptStep } from '../backends/scripted/scripted-backend';
import { InteractionStore } from '../store/interactions';
import { GatewayPool } from '../testing/gateway-pool';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

const gateways = new GatewayPool();
const { create } = gateways;
afterEach(() => gateways.close());

/** A gateway whose every answer says `ab`, waits for `release`, and says which call it was. */
function createHeld(graceMs = 60_000) {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script = (_task: unknown, index: number): ScriptStep[] => [
    { kind: 'text', text: 'ab' },
    { kind: 'wait', until: released },
    { kind: 'text', text: String(index) },
  ];
  const test = create({ script, config: { retryGraceMs: graceMs } });
  return { test, release };
}

const body = (fields: object = {}) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });

interface Ask {
  readonly fields?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const ask = (test: TestGateway, key: string, { fields, headers, signal }: Ask = {}): Promise<Response> =>
  test.call('POST', '/v1/chat/completions', { key, body: body(fields), headers, signal });

async function idOf(reply: Response): Promise<string> {
  const text = await reply.text();
  return /"id":"(chatcmpl-[0-9a-f]{29})"/.exec(text)?.[1] ?? `no id in ${text}`;
}

async function rowsOf(test: TestGateway, session: string): Promise<InteractionView[]> {
  const reply = await test.call('GET', `/rl/sessions/${session}`, { key: ADMIN_KEY });
  return sessionDetailSchema.parse(await reply.json()).interactions;
}

/** Until so many calls have reached the engine and said their first two tokens. */
async function untilAsked(test: TestGateway, count: number): Promise<void> {
  while (test.tasks.length < count) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function untilState(test: TestGateway, session: string, state: string): Promise<InteractionView[]> {
  for (;;) {
    const rows = await rowsOf(test, session);
    if (rows.length > 0 && rows.every((row) => row.state === state)) return rows;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const retry = { 'x-stainless-retry-count': '1' };

describe('equal requests in flight', () => {
  it.each<[string, Ask, Ask, number]>([
    ['one and its like', {}, {}, 1],
    ['whole and streamed', {}, { fields: { stream: true } }, 1],
    ['with the same key', { headers: { 'idempotency-key': 'k' } }, { headers: { 'idempotency-key': 'k' } }, 1],
    ['keys in another order', {}, { fields: { messages: [{ content: 'hi', role: 'user' }] } }, 1],
    ['a null for what is absent', {}, { fields: { stop: null } }, 1],
    ['with two keys', { headers: { 'idempotency-key': 'k' } }, { headers: { 'idempotency-key': 'l' } }, 2],
    ['with an empty key and without one', { headers: { 'idempotency-key': '' } }, {}, 1],
    ['with and without a key', { headers: { 'idempotency-key': 'k' } }, {}, 2],
    ['another seed', { fields: { seed: 1 } }, { fields: { seed: 2 } }, 2],
    ['another temperature', {}, { fields: { temperature: 0.5 } }, 2],
    ['another n', {}, { fields: { n: 2 } }, 3],
    ['another message', {}, { fields: { messages: [{ role: 'user', content: 'ho' }] } }, 2],
  ])('join or do not: %s', async (_reason, first, second, sampled) => {
    const { test, release } = createHeld();
    const { key, id } = await test.startSession();
    const replies = [ask(test, key, first), ask(test, key, second)];
    await untilAsked(test, sampled);
    release();
    const ids = await Promise.all(replies.map(async (reply) => idOf(await reply)));
    expect(new Set(ids).size).toBe(sampled === 1 ? 1 : 2);
    expect(test.tasks).toHaveLength(sampled);
    expect(await rowsOf(test, id)).toHaveLength(sampled);
  });

  it('join however many there are, and a late one hears everything', async () => {
    const { test, release } = createHeld();
    const { key } = await test.startSession();
    const early = Array.from({ length: 10 }, () => ask(test, key));
    await untilAsked(test, 1);
    const late = ask(test, key, { fields: { stream: true } });
    release();
    const text = await (await late).text();
    expect([...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe('ab0');
    const contents = await Promise.all(early.map(async (reply) => ((await (await reply).json()) as Answer).choices));
    expect(new Set(contents.map(([choice]) => choice?.message.content))).toEqual(new Set(['ab0']));
    expect(test.tasks).toHaveLength(1);
  });

  it('of two sessions do not join', async () => {
    const { test, release } = createHeld();
    const keys = [(await test.startSession()).key, (await test.startSession()).key];
    const replies = keys.map((key) => ask(test, key));
    await untilAsked(test, 2);
    release();
    const ids = await Promise.all(replies.map(async (reply) => idOf(await reply)));
    expect(new Set(ids).size).toBe(2);
  });

  it('go on when one of the clients leaves', async () => {
    const { test, release } = createHeld(0);
    const { key, id } = await test.startSession();
    const client = new AbortController();
    const leaving = ask(test, key, { signal: client.signal });
    const staying = ask(test, key);
    await untilAsked(test, 1);
    client.abort();
    release();
    expect(((await (await staying).json()) as Answer).choices[0]?.message.content).toBe('ab0');
    await leaving;
    expect(await rowsOf(test, id)).toMatchObject([{ finish_reason: 'stop' }]);
  });
});

interface Answer {
  readonly id: string;
  readonly usage: { readonly completion_tokens: number };
  readonly choices: {
    readonly index: number;
    readonly message: { readonly content: string };
    readonly plaudit: { readonly interaction_id: string };
  }[];
}

describe('a retry of a whole answer', () => {
  it('joins within the grace', async () => {
    const { test, release } = createHeld();
    const { key, id } = await test.startSession();
    const client = new AbortController();
    const first = ask(test, key, { signal: client.signal });
    await untilAsked(test, 1);
    client.abort();
    const second = ask(test, key, { headers: retry });
    await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(((await (await second).json()) as Answer).choices[0]?.message.content).toBe('ab0');
    await first;
    expect(await rowsOf(test, id)).toMatchObject([{ finish_reason: 'stop', replaced_by: null }]);
  });

  it('is given the answer that was finished meanwhile, once', async () => {
    const { test, release } = createHeld();
    const { key, id } = await test.startSession();
    const client = new AbortController();
    const first = ask(test, key, { signal: client.signal });
    await untilAsked(test, 1);
    client.abort();
    release();
    const [row] = await untilState(test, id, 'finished');
    await first;
    const second = (await (await ask(test, key, { headers: retry })).json()) as Answer;
    expect(second).toMatchObject({ id: row?.interaction_id, choices: [{ message: { content: 'ab0' } }] });
    expect(test.tasks).toHaveLength(1);
    const third = await idOf(await ask(test, key, { headers: retry }));
    expect(third).not.toBe(second.id);
    expect(await rowsOf(test, id)).toMatchObject([{ replaced_by: null }, { replaced_by: null }]);
  });

  it('samples anew after the grace, and the first one is its orphan', async () => {
    const { test, release } = createHeld(0);
    const { key, id } = await test.startSession();
    const client = new AbortController();
    const first = ask(test, key, { signal: client.signal });
    await untilAsked(test, 1);
    client.abort();
    await untilState(test, id, 'finished');
    await first;
    release();
    const second = await idOf(await ask(test, key, { headers: retry }));
    expect(await rowsOf(test, id)).toMatchObject([
      { finish_reason: 'abort', replaced_by: second },
      { interaction_id: second, finish_reason: 'stop', replaced_by: null },
    ]);
  });
});

describe('a streamed answer whose client leaves', () => {
  it.each([
    ['an agent that asks again', 'agent', {}, true],
    ['a client that says it retries', 'human', retry, true],
    ['a person who asks again', 'human', {}, false],
  ] as const)('is ended at once; %s', async (_reason, source, headers, isReplaced) => {
    const { test, release } = createHeld();
    const { key, id } = await test.startSession({ source });
    const reply = await ask(test, key, { fields: { stream: true } });
    await untilAsked(test, 1);
    await reply.body?.cancel();
    await untilState(test, id, 'finished');
    release();
    const second = await idOf(await ask(test, key, { headers }));
    expect(await rowsOf(test, id)).toMatchObject([
      { output: 'ab', finish_reason: 'abort', replaced_by: isReplaced ? second : null },
      { output: 'ab1', replaced_by: null },
    ]);
  });

  it('is never replaced once it is rated', async () => {
    const { test, release } = createHeld();
    const { key, id } = await test.startSession();
    const reply = await ask(test, key, { fields: { stream: true } });
    await untilAsked(test, 1);
    await reply.body?.cancel();
    await untilState(test, id, 'finished');
    await test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    release();
    await ask(test, key, { headers: retry });
    expect((await rowsOf(test, id))[0]).toMatchObject({ reward: 1, replaced_by: null });
  });
});

describe('a call that waits behind another on its connection', () => {
  it.each(['/v1/chat/completions', '/v1/chat/completions?by=the-ordinary-way'])(
    'hears that the connection was cut, and its retry gets its answer: %s',
    async (path) => {
      const { test, release } = createHeld();
      const { key, id } = await test.startSession();
      const { port } = await test.gateway.listen();
      const requests = ['first', 'second'].map((content) => {
        const text = JSON.stringify(body({ messages: [{ role: 'user', content }] }));
        const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`;
        return `${head}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
      });
      const socket = connect(port, '127.0.0.1', () => socket.write(requests.join('')));
      await untilAsked(test, 2);
      socket.destroy();
      // The connection's end has to arrive before the answers do.
      await new Promise((resolve) => setTimeout(resolve, 50));
      release();
      const rows = await untilState(test, id, 'finished');
      const second = rows.find(({ messages }) => messages.at(-1)?.content === 'second');
      const fields = { messages: [{ role: 'user', content: 'second' }] };
      expect(await idOf(await ask(test, key, { fields, headers: retry }))).toBe(second?.interaction_id);
      expect(await rowsOf(test, id)).toHaveLength(2);
    },
  );
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' };

  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses', { input: 'hi' }],
    ['/v1/messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 4 }],
  ])('gets the same usage again from %s', async (path, fields) => {
    const { test, release } = createHeld();
    release();
    const { key } = await test.startSession();
    const send = async (sent: Record<string, string>): Promise<Record<string, unknown>> => {
      const reply = await test.call('POST', path, { key, body: { model: 'm', ...fields }, headers: sent });
      return (await reply.json()) as Record<string, unknown>; // an object in every dialect
    };
    const first = await send({ 'idempotency-key': 'before' });
    const [second, replayed] = [await send(headers), await send(headers)];
    expect(second.usage).not.toEqual(first.usage); // its prompt was known
    expect(replayed).toMatchObject({ id: second.id, usage: second.usage });
    expect(test.tasks).toHaveLength(2);
  });

  it('means one request, also while that runs and before anything of it is stored', async () => {
    const { test, release } = createHeld();
    const { key } = await test.startSession();
    const first = ask(test, key, { headers });
    const other = ask(test, key, { headers, fields: { seed: 2 } });
    expect((await other).status).toBe(400);
    release();
    expect(await idOf(await ask(test, key, { headers }))).toBe(await idOf(await first));
  });

  it.each(['', ' '])('that is empty is none: %j', async (empty) => {
    const { test, release } = createHeld();
    release();
    const { key } = await test.startSession();
    const ids = [];
    for (const fields of [{}, { seed: 1 }])
      ids.push(await idOf(await ask(test, key, { fields, headers: { 'idempotency-key': empty } })));
    expect(new Set(ids).size).toBe(2);
  });

  it('gives a finished answer again, whole and streamed, and samples nothing', async () => {
    const test = create({ script: () => [{ kind: 'text', text: 'grüß 😀' }] });
    const { key, id } = await test.startSession();
    const first = (await (await ask(test, key, { headers })).json()) as Answer;
    expect(await (await ask(test, key, { headers })).json()).toEqual(first);
    const streamed = await (await ask(test, key, { headers, fields: { stream: true } })).text();
    expect(streamed).toContain(first.id);
    expect(streamed).toContain('grüß 😀');
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
    expect(test.tasks).toHaveLength(1);
    expect(await rowsOf(test, id)).toHaveLength(1);
  });

  it('survives a restart', async () => {
    const before = createTestGateway();
    const { key } = await before.startSession();
    const first = await idOf(await ask(before, key, { headers }));
    await before.gateway.close();
    const after = createTestGateway({ dataDir: before.dataDir });
    expect(await idOf(await ask(after, key, { headers }))).toBe(first);
    expect(after.tasks).toEqual([]);
    await after.close();
    await before.close();
  });

  it('samples anew after a failure', async () => {
    const test = create({
      script: (_task, index) =>
        index === 0
          ? [{ kind: 'error', error: { kind: 'engine-unavailable', message: 'away' } }]
          : [{ kind: 'text', text: 'ok' }],
    });
    const { key } = await test.startSession();
    expect((await ask(test, key, { headers })).status).toBe(503);
    expect((await ask(test, key, { headers })).status).toBe(200);
  });

  it('is looked up once for each call: sampled, given again, refused', async () => {
    const test = create();
    const { key } = await test.startSession();
    const lookUp = vi.spyOn(InteractionStore.prototype, 'findByIdempotencyKey');
    for (const [calls, fields] of [{}, {}, { seed: 1 }].entries()) {
      await ask(test, key, { headers, fields });
      expect(lookUp).toHaveBeenCalledTimes(calls + 1);
    }
    lookUp.mockRestore();
  });

  it('is refused for another request', async () => {
    const test = create();
    const { key } = await test.startSession();
    await ask(test, key, { headers });
    const other = await ask(test, key, { headers, fields: { temperature: 0.5 } });
    expect(other.status).toBe(400);
    expect(await other.text()).toContain('Idempotency-Key');
  });
});

describe('n completions', () => {
  it('are interactions of their own that can be rated by id', async () => {
    const test = create({ script: (_task, index) => [{ kind: 'text', text: `c${index}` }] });
    const { key, id } = await test.startSession();
    const reply = (await (await ask(test, key, { fields: { n: 3, seed: 7 } })).json()) as Answer;
    expect(reply.choices.map((choice) => [choice.index, choice.message.content])).toEqual([
      [0, 'c0'],
      [1, 'c1'],
      [2, 'c2'],
    ]);
    expect(reply.choices.map((choice) => choice.plaudit.interaction_id)).toEqual([
      reply.id,
      `${reply.id}-1`,
      `${reply.id}-2`,
    ]);
    expect(reply.usage.completion_tokens).toBe(9);
    expect(test.tasks.map(({ seed }) => seed)).toEqual([7, 8, 9]);
    for (const [index, choice] of reply.choices.entries()) {
      const rated = { reward: index, interaction_id: choice.plaudit.interaction_id };
      expect((await test.call('POST', '/rl/set_reward', { key, body: rated })).status).toBe(200);
    }
    expect((await rowsOf(test, id)).map(({ reward, output }) => [reward, output])).toEqual([
      [0, 'c0'],
      [1, 'c1'],
      [2, 'c2'],
    ]);
  });

  it('stream interleaved, each with its role, its end and its own id', async () => {
    const test = create({ script: (_task, index) => [{ kind: 'text', text: `c${index}` }] });
    const { key } = await test.startSession();
    const text = await (await ask(test, key, { fields: { n: 2, stream: true } })).text();
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'));
    const chunks = frames.map((frame) => JSON.parse(frame.slice(6)));
    for (const index of [0, 1]) {
      const own = chunks.filter((chunk) => chunk.choices[0]?.index === index);
      expect(own[0].choices[0].delta.role).toBe('assistant');
      expect(own.map((chunk) => chunk.choices[0].delta.content ?? '').join('')).toBe(`c${index}`);
      expect(own.at(-1).choices[0].finish_reason).toBe('stop');
      expect(own.at(-1).plaudit.interaction_id).toMatch(index === 0 ? /^chatcmpl-[0-9a-f]{29}$/ : /-1$/);
    }
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(chunks.at(-1).usage.completion_tokens).toBe(6);
  });

  it('fail together', async () => {
    const test = create({
      script: (_task, index) =>
        index === 1
          ? [{ kind: 'error', error: { kind: 'engine-unavailable', message: 'away' } }]
          : [{ kind: 'text', text: 'ok' }],
    });
    const { key } = await test.startSession();
    expect((await ask(test, key, { fields: { n: 2 } })).status).toBe(503);
  });
});

describe('GET /rl/interactions/{id}', () => {
  it('shows a replaced answer with its tokens', async () => {
    const test = create();
    const { key } = await test.startSession();
    const id = await idOf(await ask(test, key));
    const view = await test.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(interactionViewSchema.parse(await view.json())).toMatchObject({ untrainable: null, replaced_by: null });
  });
});
