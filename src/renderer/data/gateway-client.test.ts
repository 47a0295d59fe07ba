import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeDesktop } from '../testing/fake-desktop';
import { FakeGateway } from '../testing/fake-gateway';
import { createDesktopClient } from './desktop-client';
import { createGatewayClient } from './gateway-client';
import { createGatewayTransport } from './gateway-request';

function setUp(reply?: () => Response | Promise<Response>) {
  const desktop = new FakeDesktop();
  const gateway = new FakeGateway();
  vi.stubGlobal('fetch', reply ?? gateway.fetch);
  return { desktop, gateway, client: createGatewayClient(createGatewayTransport(createDesktopClient(desktop))) };
}

afterEach(() => vi.unstubAllGlobals());

const refusal = {
  detail: 'no',
  error: { message: 'The session ended.', type: 'x', param: null, code: 'session_ended' },
};

describe('createGatewayClient', () => {
  it.each([
    [
      'a refusal, with the gateway’s own sentence',
      () => Response.json(refusal, { status: 409 }),
      {
        kind: 'refused',
        status: 409,
        code: 'session_ended',
        message: 'The session ended.',
      },
    ],
    [
      'an error that is no JSON',
      () => new Response('<html>', { status: 500 }),
      {
        kind: 'refused',
        status: 500,
        code: null,
        message: 'HTTP 500',
      },
    ],
    ['a reply of another shape', () => Response.json({ experiment: 1 }), { kind: 'unreadable' }],
    ['a reply that is no JSON', () => new Response('hello'), { kind: 'unreadable' }],
    ['a network failure', () => Promise.reject(new TypeError('Failed to fetch')), { kind: 'unreachable' }],
  ])('makes %s a value', async (_name, reply, problem) => {
    const { client } = setUp(reply);
    expect(await client.status()).toMatchObject({ ok: false, error: problem });
  });

  it('says that the gateway is not ready while the desktop has no address', async () => {
    const { desktop, client } = setUp();
    desktop.url = null;
    expect(await client.status()).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
    desktop.url = 'http://127.0.0.1:4100';
    expect(await client.status()).toMatchObject({ ok: true });
  });

  it('asks for the address again after it stopped answering', async () => {
    const { desktop, gateway, client } = setUp();
    await client.status();
    gateway.unreachable = true;
    expect(await client.status()).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
    gateway.unreachable = false;
    await client.status();
    expect(desktop.calls.filter(({ channel }) => channel === 'gateway-address')).toHaveLength(2);
  });

  it('speaks with the admin token, and with the session’s key in a chat', async () => {
    const keys: (string | null)[] = [];
    const gateway = new FakeGateway();
    const { client } = setUp();
    vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
      keys.push(new Headers(init.headers).get('authorization'));
      return gateway.fetch(input, init);
    });
    const started = await client.startSession({ task_id: 'a' });
    if (!started.ok) throw new Error(started.error.message);
    await chatOf(client, started.value.api_key);
    expect(keys).toEqual(['Bearer admin-token', `Bearer ${started.value.api_key}`]);
  });

  it('streams an answer with the runs of its versions', async () => {
    const { gateway, client } = setUp();
    gateway.answer = () => [
      { text: 'Hi', version: 3 },
      { text: ' 你好', version: 4 },
    ];
    const started = await client.startSession({ task_id: 'a' });
    if (!started.ok) throw new Error(started.error.message);
    const events = await chatOf(client, started.value.api_key);
    expect(events.filter(({ kind }) => kind === 'delta')).toMatchObject([
      { text: 'Hi', runs: [[3, 1]] },
      {
        text: ' 你好',
        runs: [
          [3, 1],
          [4, 1],
        ],
      },
      { text: '' },
    ]);
    expect(events.at(-1)).toMatchObject({ kind: 'end', finishReason: 'stop' });
  });

  it.each([
    ['a stream that ends without a finish reason', 'data: [DONE]\n\n', { kind: 'unreachable' }],
    ['a frame that cannot be read', 'data: {oops\n\n', { kind: 'unreadable' }],
    [
      'an error in mid-answer',
      `data: ${JSON.stringify(refusal)}\n\n`,
      { kind: 'refused', message: 'The session ended.' },
    ],
  ])('reports %s as the last event', async (_name, body, problem) => {
    const { client } = setUp(() => new Response(body));
    expect((await chatOf(client, 'key')).at(-1)).toMatchObject({ kind: 'problem', problem });
  });
});

async function chatOf(client: ReturnType<typeof createGatewayClient>, sessionKey: string) {
  const opened = await client.chat({
    sessionKey,
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    temperature: 1,
    maxNewTokens: 8,
    signal: new AbortController().signal,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const events = [];
  for await (const event of opened.value) events.push(event);
  return events;
}
