import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenRequests } from '../testing/broken-requests';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let port: number;
let sessionKey: string;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  test = createTestGateway({ config: { headersTimeoutMs: 200, bodyLimitBytes: 64 * 1024 } });
  ({ port } = await test.gateway.listen());
  sessionKey = (await test.startSession()).key;
});
afterAll(async () => {
  await test.close();
  process.off('unhandledRejection', note);
});

function send(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let reply = '';
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
      // A kept connection is ours to close once it has answered.
      if (/\r\n\r\n/.test(reply)) socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reply));
  });
}

const corpus = brokenRequests({ session: 'SESSION-KEY', admin: ADMIN_KEY });

describe(`${corpus.length} broken requests`, () => {
  it('are a corpus worth the name', () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(300);
  });

  it('are refused one by one, and change nothing', async () => {
    const before = await facts();
    const wrong: string[] = [];
    const requests = brokenRequests({ session: sessionKey, admin: ADMIN_KEY });
    const loops = Array.from({ length: 8 }, async (_, loop) => {
      for (let i = loop; i < requests.length; i += 8) {
        const { name, bytes } = requests[i] ?? { name: '', bytes: Buffer.alloc(0) };
        const reply = await send(bytes);
        const status = /^HTTP\/1\.1 (\d+)/.exec(reply)?.[1];
        // No reply at all is a refusal too: the connection was closed on something that is no HTTP.
        if (status !== undefined && !/^4\d\d$/.test(status)) wrong.push(`${name}: ${reply.slice(0, 300)}`);
      }
    });
    await Promise.all(loops);
    expect(wrong).toEqual([]);
    expect(unhandled).toEqual([]);
    expect(await facts()).toEqual(before);
  });
});

/** What must not change: sessions, interactions and ratings. */
async function facts(): Promise<unknown> {
  const sessions = await (await test.call('GET', '/rl/sessions', { key: ADMIN_KEY })).json();
  const receipts = await (await test.call('GET', '/rl/receipts', { key: ADMIN_KEY })).json();
  return { sessions, receipts };
}
