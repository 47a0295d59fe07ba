import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionDetailSchema } from '../../shared/wire/rl';
import { ADMIN_KEY, CONTEXT_LENGTH, createTestGateway, type TestGateway } from '../testing/test-gateway';

const BODY_LIMIT = 4_000_000;

let test: TestGateway;
let port: number;
beforeAll(async () => {
  test = createTestGateway({ config: { bodyLimitBytes: BODY_LIMIT } });
  ({ port } = await test.gateway.listen());
});
afterAll(() => test.close());

const user = (content: unknown = 'x'): object => ({ role: 'user', content });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const properties = (count: number): object =>
  Object.fromEntries(many(count, (i) => [`p${i}`, { type: 'string' }] as const));
const schema = (count: number): object => ({ type: 'object', properties: properties(count) });

/** The same call in every dialect. */
const DIALECTS = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: [user()] },
    messages: (list: object[]) => ({ messages: list }),
    tool: (name: string, description: string, parameters: object) => ({
      type: 'function',
      function: { name, description, parameters },
    }),
    format: (inner: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: inner } },
    }),
  },
  responses: {
    path: '/v1/responses',
    body: { input: 'x' },
    messages: (list: object[]) => ({ input: list }),
    tool: (name: string, description: string, parameters: object) => ({
      type: 'function',
      name,
      description,
      parameters,
    }),
    format: (inner: object) => ({ text: { format: { type: 'json_schema', name: 'a', schema: inner } } }),
  },
  messages: {
    path: '/v1/messages',
    body: { messages: [user()], max_tokens: 4 },
    messages: (list: object[]) => ({ messages: list }),
    tool: (name: string, description: string, parameters: object) => ({ name, description, input_schema: parameters }),
    format: (inner: object) => ({ output_config: { format: { type: 'json_schema', schema: inner } } }),
  },
};
const names = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]; // the keys it was written with

/** Status, sentence and how many rows the session has then. */
async function send(path: string, body: object): Promise<{ status: number; told: string; rows: number }> {
  const { key, id } = await test.startSession();
  const reply = await test.call('POST', path, { key, body: { model: 'm', ...body } });
  const told = String(((await reply.json()) as { detail?: unknown }).detail);
  const detail = await test.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY });
  return { status: reply.status, told, rows: sessionDetailSchema.parse(await detail.json()).interactions.length };
}

describe.each(names)('a call of %s that asks for too much', (name) => {
  const { path, body, messages, tool, format } = DIALECTS[name];

  it.each([
    ['more messages than tokens', messages(many(4 * CONTEXT_LENGTH, () => user(''))), /maximum context length is 256/],
    ['more text than tokens', messages([user('x'.repeat(33 * CONTEXT_LENGTH))]), /more than 256 tokens/],
    ['too many tools', { tools: many(1001, (i) => tool(`t${i}`, '', {})) }, /tools has 1001 entries.*1000/],
    ['tools of too much text', { tools: [tool('a', 'y'.repeat(1_000_000), {})] }, /tools is \d+ characters.*1000000/],
    ['tools of too many values', { tools: [tool('a', '', schema(5001))] }, /tools has too many values.*10000/],
    ['a form of too many values', format(schema(5001)), /has too many values.*10000/],
    ['metadata of too much text', { metadata: { a: 'y'.repeat(64_000) } }, /metadata is \d+ characters.*64000/],
    ['template values of too much text', { chat_template_kwargs: { a: 'y'.repeat(64_000) } }, /chat_template_kwargs/],
  ])('%s is refused and stores nothing', async (_what, fields, sentence) => {
    const { status, told, rows } = await send(path, { ...body, ...fields });
    expect({ status, rows }).toEqual({ status: 400, rows: 0 });
    expect(told).toMatch(sentence);
  });

  it('more values than anybody needs is refused and stores nothing', async () => {
    const { status, told, rows } = await send(path, { ...body, unknown: many(30_001, (i) => i) });
    expect({ status, rows }).toEqual({ status: name === 'chat' ? 422 : 400, rows: 0 });
    expect(told).toMatch(/more than 30000 values/);
  });

  it('as many tools as allowed are answered', async () => {
    // The tiny model's template shows no tools, so they take no room.
    const tools = many(name === 'chat' ? 128 : 1000, (i) => tool(`t${i}`, '', {}));
    expect(await send(path, { ...body, tools })).toMatchObject({ status: 200, rows: 1 });
  });
});

describe('a client that sends megabytes of values', () => {
  it.each([
    ['many', `[${'1,'.repeat(1_500_000)}1]`, /more than 30000 values/],
    ['deep', '['.repeat(3_000_000), /deeper than 64 levels/],
  ])('is told that they are too %s, not cut off', async (_what, body, sentence) => {
    const { key } = await test.startSession();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' };
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const reply = await fetch(url, { method: 'POST', headers, body });
    expect(reply.status).toBe(422);
    expect(await reply.text()).toMatch(sentence);
  });
});

describe('arguments of earlier tool calls', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const wide = (values: number): string => `[${'1,'.repeat(values)}1]`;
  const call = (text: string) => ({ id: 'a', type: 'function', function: { name: 'f', arguments: text } });
  const dialects: Record<string, (text: string) => object> = {
    '/v1/chat/completions': (text) => ({
      messages: [user(), { role: 'assistant', content: '', tool_calls: [call(text)] }, user()],
    }),
    '/v1/responses': (text) => ({
      input: [user(), { type: 'function_call', call_id: 'a', name: 'f', arguments: text }, user()],
    }),
  };
  const cases = Object.keys(dialects).flatMap((path) => [
    [path, 'deep', deep(100_000), /more than 512 levels/] as const,
    [path, 'wide', wide(20_001), /more than 20000 values/] as const,
  ]);

  it.each(cases)('%s: that are too %s are refused', async (path, _what, text, sentence) => {
    const { status, told, rows } = await send(path, dialects[path]?.(text) ?? {});
    expect({ status, rows }).toEqual({ status: 400, rows: 0 });
    expect(told).toMatch(sentence);
  });

  it.each(Object.keys(dialects))('%s: that are broken or nested are taken', async (path) => {
    for (const text of ['{"a":', deep(100)]) expect((await send(path, dialects[path]?.(text) ?? {})).status).toBe(200);
  });
});

describe('n answers to a large body', () => {
  const body = (n: number, bytes: number): object => ({
    n,
    max_tokens: 1,
    messages: [user()],
    unknown: 'y'.repeat(bytes),
  });

  it.each([
    [128, BODY_LIMIT / 128],
    [2, BODY_LIMIT / 2],
  ])('n = %i with %i bytes is refused with both numbers, and stores nothing', async (n, bytes) => {
    const { status, told, rows } = await send('/v1/chat/completions', body(n, bytes));
    expect({ status, rows }).toEqual({ status: 400, rows: 0 });
    expect(told).toMatch(new RegExp(`n = ${n} answers to a body of \\d+ bytes.*the limit is ${BODY_LIMIT}`));
  });

  it.each([
    [1, BODY_LIMIT / 2],
    [4, BODY_LIMIT / 5],
  ])('n = %i with %i bytes is answered', async (n, bytes) => {
    expect(await send('/v1/chat/completions', body(n, bytes))).toMatchObject({ status: 200, rows: n });
  });
});

describe.each([
  ['/v1/messages/count_tokens', DIALECTS.messages],
  ['/v1/responses/input_tokens', DIALECTS.responses],
])('%s of far too much', (path, { messages }) => {
  it.each([
    ['messages', many(20 * CONTEXT_LENGTH, () => user(''))],
    ['text', [user('x'.repeat(130 * CONTEXT_LENGTH))]],
  ])('%s names the context that the model has', async (_what, list) => {
    const { status, told } = await send(path, messages(list));
    expect(status).toBe(400);
    expect(told).toMatch(/maximum context length is 256 tokens.*more than 1024 tokens/);
  });
});
