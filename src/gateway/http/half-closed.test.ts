import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type InteractionView, sessionDetailSchema } from '../../shared/wire/rl';
import type { ScriptStep } from '../backends/scripted/scripted-backend';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let release: () => void = () => undefined;
afterEach(() => test.close());

interface Started {
  readonly key: string;
  readonly session: string;
  readonly port: number;
}

/** A gateway whose answer is `ab`, a silence until `release`, and `cd`. */
async function start(): Promise<Started> {
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script = (): ScriptStep[] => [
    { kind: 'text', text: 'ab' },
    { kind: 'wait', until: released },
    { kind: 'text', text: 'cd' },
  ];
  test = createTestGateway({ script, config: { retryGraceMs: 0 } });
  const { port } = await test.gateway.listen();
  const { key, id } = await test.startSession();
  return { key, session: id, port };
}

const CHAT = '/v1/chat/completions';
/** Its query is no path that the short way knows. */
const ORDINARY = `${CHAT}?by=the-ordinary-way`;

function requestText(key: string, fields: object, path = CHAT, version = '1.1'): string {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });
  const head = `POST ${path} HTTP/${version}\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`;
  return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** A client that says all it has to say, closes its side, and goes on reading. */
function sayAndRead(port: number, text: string, onText: (all: string) => void = () => undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(text));
    socket.on('data', (chunk) => {
      reply += chunk.toString('utf8');
      onText(reply);
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(reply));
  });
}

async function untilAsked(): Promise<void> {
  while (test.tasks.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

async function untilOver(session: string): Promise<InteractionView[]> {
  for (;;) {
    const reply = await test.call('GET', `/rl/sessions/${session}`, { key: ADMIN_KEY });
    const { interactions } = sessionDetailSchema.parse(await reply.json());
    if (interactions.length > 0 && interactions.every(({ state }) => state !== 'running')) return interactions;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function openSessions(): Promise<number> {
  const reply = await test.call('GET', '/rl/sessions?state=open', { key: ADMIN_KEY });
  return ((await reply.json()) as { sessions: unknown[] }).sessions.length; // as the route answers
}

describe('a client that closes its side behind its request', () => {
  it.each([
    ['HTTP/1.1', 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['HTTP/1.0', 'GET /health HTTP/1.0\r\nhost: localhost\r\n\r\n'],
    ['two requests at once', 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2)],
  ])('is answered: %s', async (_name, text) => {
    const { port } = await start();
    const reply = await sayAndRead(port, text);
    expect(reply.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(text.split('GET').length - 1);
    expect(reply).toContain('"status":"ok"');
  });

  it.each([CHAT, ORDINARY])('gets its whole answer, however long that takes: %s', async (path) => {
    const { port, key, session } = await start();
    const reply = await sayAndRead(port, requestText(key, {}, path), (text) => {
      // As often as it is ever asked: the engine took its time.
      if (text.split('100 Continue').length > 5) release();
    });
    expect(reply).toMatch(/^(HTTP\/1\.1 100 Continue\r\n\r\n){5}HTTP\/1\.1 200 OK\r\n/);
    expect(reply).toContain('"content":"abcd"');
    expect(await untilOver(session)).toMatchObject([{ output: 'abcd', finish_reason: 'stop' }]);
  });

  it.each([CHAT, ORDINARY])('hears its stream to the end: %s', async (path) => {
    const { port, key } = await start();
    const reply = await sayAndRead(port, requestText(key, { stream: true }, path), (text) => {
      if (text.split(': still there?\n\n').length > 2) release();
    });
    expect([...reply.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe('abcd');
    expect(reply).toContain('data: [DONE]\n\n');
    expect(reply).not.toContain('100 Continue');
  });

  it('speaks HTTP/1.0, gets an answer that is made in seconds', async () => {
    const { port, key } = await start();
    const reply = sayAndRead(port, requestText(key, {}, CHAT, '1.0'));
    await untilAsked();
    release();
    expect(await reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await reply).toContain('"content":"abcd"');
  });

  it('in the middle of its body is told so, and costs nothing', async () => {
    const { port, key } = await start();
    const text = requestText(key, {});
    expect(await sayAndRead(port, text.slice(0, -5))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(test.tasks).toEqual([]);
  });
});

describe('a client that is gone', () => {
  const gone: [string, object, string, string][] = [
    ['a whole answer', {}, CHAT, '1.1'],
    ['a whole answer, the ordinary way', {}, ORDINARY, '1.1'],
    ['a stream', { stream: true }, CHAT, '1.1'],
    ['a stream, the ordinary way', { stream: true }, ORDINARY, '1.1'],
    ['a whole answer over HTTP/1.0', {}, CHAT, '1.0'],
    ['a stream over HTTP/1.0', { stream: true }, ORDINARY, '1.0'],
  ];
  it.each(gone)('ends its generation, though the engine is silent: %s', async (_name, fields, path, version) => {
    const { port, key, session } = await start();
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(requestText(key, fields, path, version)));
    await untilAsked();
    // Read before it goes: bytes that were not would make the system say more than that nothing follows.
    if ('stream' in fields) await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(await untilOver(session)).toMatchObject([{ output: 'ab', finish_reason: 'abort' }]);
  });
});

describe('a client that asks for a session and leaves', () => {
  it.each([{}, { shape: 'v2', group_size: 2 }])('leaves none open that nobody was told of: %o', async (fields) => {
    const { port } = await start();
    const before = await openSessions();
    let told = 0;
    for (let round = 0; round < 20; round += 1) {
      const reply = await sayAndRead(port, requestText(ADMIN_KEY, { task_id: 't', ...fields }, '/rl/start_session'));
      if (reply !== '') told += 'group_size' in fields ? 2 : 1;
    }
    while ((await openSessions()) !== before + told) await new Promise((resolve) => setImmediate(resolve));
  });

  it('leaves its own key usable', async () => {
    const { port } = await start();
    const key = 'sk-own-key-of-an-agent';
    await sayAndRead(port, requestText(ADMIN_KEY, { task_id: 't', api_key: key }, '/rl/start_session'));
    const again = await test.call('POST', '/rl/start_session', {
      key: ADMIN_KEY,
      body: { task_id: 't', api_key: key },
    });
    expect(again.status).toBe(200);
  });
});
