import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../platform/logger';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

/** Every chat call that Node takes in over the wire may go the fast lane; `app.request` never does. */
let test: TestGateway;
let port: number;
let key: string;
const routes: unknown[] = [];
const logger: Logger = {
  log: (_level, event, fields) => {
    if (event === 'request') routes.push([fields?.route, fields?.status]);
  },
};

beforeAll(async () => {
  test = createTestGateway({ logger, config: { allowedOrigins: ['https://page.example'], bodyLimitBytes: 400_000 } });
  ({ port } = await test.gateway.listen());
  ({ key } = await test.startSession());
});
afterAll(() => test.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function overTheWire(body: string | Buffer, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', headers },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (piece: string) => (text += piece));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function within(body: string | Buffer, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const bytes = typeof body === 'string' ? body : new Uint8Array(body);
  const reply = await test.gateway.app.request('/v1/chat/completions', { method: 'POST', headers, body: bytes });
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** Without what differs from call to call, and what belongs to the connection. */
function comparable({ status, headers, text }: Answer): unknown {
  const own = ['content-type', 'cache-control', 'x-accel-buffering', 'retry-after', 'x-request-id', 'request-id'];
  const hide = (value: unknown): string => String(value).replace(/req_\w+/, 'req_');
  return {
    status,
    headers: Object.fromEntries(own.filter((name) => name in headers).map((name) => [name, hide(headers[name])])),
    text: text
      .replace(/chatcmpl-\w+/g, 'chatcmpl-')
      .replace(/"created":\d+/g, '"created":0')
      .replace(/"cached_tokens":\d+/g, '"cached_tokens":0'),
  };
}

const message = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });

describe('the fast lane answers as the ordinary way does', () => {
  it.each<[string, string | Buffer, Readonly<Record<string, string>>]>([
    ['a whole answer', message({}), JSON_TYPE],
    ['a stream', message({ stream: true }), JSON_TYPE],
    ['a stream with usage', message({ stream: true, stream_options: { include_usage: true } }), JSON_TYPE],
    ['two choices with log-probs', message({ n: 2, logprobs: true }), JSON_TYPE],
    ["a caller's request id", message({}), { ...JSON_TYPE, 'x-request-id': 'mine-1' }],
    ['a request id that is no word', message({}), { ...JSON_TYPE, 'x-request-id': 'two words' }],
    ['broken JSON', '{"model":', JSON_TYPE],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE],
    ['a body the schema refuses', message({ temperature: 'hot' }), JSON_TYPE],
    ['a parameter that is not supported', message({ logit_bias: { 1: 2 } }), JSON_TYPE],
    ['an unknown role', message({ messages: [{ role: 'boss', content: 'hi' }] }), JSON_TYPE],
    ['another media type', message({}), { 'content-type': 'text/plain' }],
    ['a compressed body', message({}), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
    [
      'more text than the context holds',
      message({ messages: [{ role: 'user', content: 'x'.repeat(9000) }] }),
      JSON_TYPE,
    ],
    ['a body too large for the lane', message({ note: 'x'.repeat(300_000) }), JSON_TYPE],
    ['a body too large for anybody', message({ note: 'x'.repeat(500_000) }), JSON_TYPE],
    ['an allowed page', message({}), { ...JSON_TYPE, origin: 'https://page.example' }],
  ])('%s', async (_name, body, headers) => {
    const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    for (const credentials of [key, 'sk-wrong', null]) {
      const all = { ...sent, ...(credentials === null ? {} : { authorization: `Bearer ${credentials}` }) };
      expect(comparable(await overTheWire(body, all))).toEqual(comparable(await within(body, all)));
    }
  });

  it('also to a body without a declared length, and to x-api-key', async () => {
    const headers = { ...JSON_TYPE, 'x-api-key': key, 'transfer-encoding': 'chunked' };
    expect((await overTheWire(message({}), headers)).status).toBe(200);
    const { status, text } = await overTheWire(message({}), { ...JSON_TYPE, 'x-api-key': key });
    expect([status, JSON.parse(text).choices.length]).toEqual([200, 1]);
  });

  it('and lets nobody past the guards', async () => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
    const foreign = await overTheWire(message({}), { ...headers, host: 'attacker.example' });
    expect(JSON.parse(foreign.text).error.code).toBe('host_not_allowed');
    const page = await overTheWire(message({}), { ...headers, origin: 'https://other.example' });
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    const allowed = await overTheWire(message({}), { ...headers, origin: 'https://page.example' });
    expect(allowed.headers['access-control-allow-origin']).toBe('https://page.example');
  });

  it('and is counted and logged like it', async () => {
    routes.length = 0;
    await overTheWire(message({}), { ...JSON_TYPE, authorization: `Bearer ${key}` });
    await overTheWire(message({}), JSON_TYPE);
    expect(routes).toEqual([
      ['/v1/chat/completions', 200],
      ['/v1/chat/completions', 401],
    ]);
    const metrics = await (await test.call('GET', '/metrics', { key: ADMIN_KEY })).text();
    expect(metrics).toMatch(
      /plaudit_http_requests_total\{method="POST",route="\/v1\/chat\/completions",status="200"\} \d+/,
    );
  });
});

describe('a limit on requests per second', () => {
  it('holds over the wire too', async () => {
    const limited = createTestGateway({ config: { requestsPerSecond: 1 } });
    const own = (await limited.gateway.listen()).port;
    const { key: session } = await limited.startSession();
    const [before, statuses] = [port, [] as number[]];
    port = own;
    for (let call = 0; call < 3; call += 1) {
      const { status } = await overTheWire(message({}), { ...JSON_TYPE, authorization: `Bearer ${session}` });
      statuses.push(status);
    }
    port = before;
    await limited.close();
    expect(statuses).toContain(429);
  });
});
