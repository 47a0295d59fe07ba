import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let port: number;

beforeAll(async () => {
  test = createTestGateway({ config: { headersTimeoutMs: 400, maxConnections: 40, bodyLimitBytes: 64 * 1024 } });
  ({ port } = await test.gateway.listen());
});
afterAll(() => test.close());

/** Writes the bytes and waits until the server closes; what it said before. */
function exchange(text: string | Buffer, options: { readonly end?: boolean } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let reply = '';
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reply));
    socket.on('connect', () => {
      socket.write(text);
      if (options.end !== false) socket.end();
    });
  });
}

function open(text = ''): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

const isHealthy = async (): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } })).ok;

describe('a client that', () => {
  it.each([
    ['never finishes its headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: '],
    ['sends nothing', ''],
    [
      'promises a body and sends none',
      `POST /rl/start_session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`,
    ],
  ])('%s is cut off, and keeps nobody waiting', async (_name, text) => {
    const hanging = exchange(text, { end: false });
    expect(await isHealthy()).toBe(true);
    expect(await hanging).toMatch(/^$|HTTP\/1\.1 (408|4\d\d)/);
  });

  it('drips its headers byte by byte is cut off too', async () => {
    const socket = await open('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    const drip = setInterval(() => socket.write('a'), 50);
    await closed;
    clearInterval(drip);
    expect(await isHealthy()).toBe(true);
  });

  it('opens more connections than allowed is refused the rest, and room comes back', async () => {
    const sockets = await Promise.all(Array.from({ length: 80 }, () => open()));
    await expect.poll(() => sockets.filter((socket) => socket.destroyed).length).toBeGreaterThanOrEqual(40);
    for (const socket of sockets) socket.destroy();
    await expect.poll(isHealthy).toBe(true);
  });

  it.each([
    ['too many header bytes', `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, /431/],
    [
      'a body over the limit, declared',
      `POST /rl/start_session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_KEY}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n`,
      /413/,
    ],
  ])('sends %s is told so', async (_name, text, expected) => {
    expect(await exchange(text, { end: false })).toMatch(expected);
    expect(await isHealthy()).toBe(true);
  });

  it('asks for the event stream and reads nothing is dropped before it costs memory', async () => {
    const reply = await test.call('GET', '/rl/events', { key: ADMIN_KEY });
    const started = Array.from({ length: 1200 }, () => test.startSession());
    await Promise.all(started);
    const frames = (await reply.text()).split('\n\n');
    expect(frames.length).toBeGreaterThan(900);
    expect(frames.length).toBeLessThan(1100);
  });
});
