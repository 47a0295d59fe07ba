import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Cancellation } from './cancellation';
import { EngineConnectionError, EngineHttp } from './engine-http';

let server: Server;
let http: EngineHttp;
/** Answers to `/generate` that have begun; `/abort_request` is answered at once. */
let begun: ServerResponse[];
/** open and waiting, at each change */
let calls: [number, number][];
let endless: NodeJS.Timeout | undefined;

const call = (path: string) => ({
  method: 'POST' as const,
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, // a TCP server has such an address
  apiKey: null,
  body: {},
});
const openSockets = (): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

beforeEach(async () => {
  begun = [];
  server = createServer((request, response) => {
    request.resume();
    if (request.url !== '/generate') return void response.end('{}');
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: last\n\n');
    begun.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Of this test alone: the connections of the one before may close only now.
  const own: typeof calls = [];
  calls = own;
  http = new EngineHttp({ mostStreams: 2, onCalls: ({ open, waiting }) => own.push([open, waiting]) });
});
afterEach(() => {
  clearInterval(endless);
  http.close();
  server.closeAllConnections();
  server.close();
});

async function readLast(): Promise<void> {
  const { events } = await http.stream(call('/generate'), new Cancellation());
  const seen: string[] = [];
  for await (const data of events) {
    seen.push(data);
    events.release();
  }
  expect(seen).toEqual(['last']);
}

describe('a reply whose last event was read', () => {
  it('gives its connection back when it ends', async () => {
    for (let time = 0; time < 5; time += 1) {
      await readLast();
      begun.at(-1)?.end('data: [DONE]\n\n');
    }
    expect(await openSockets()).toBeLessThanOrEqual(2);
  });

  it('is cut off when it does not end, so that others can go on', async () => {
    for (let time = 0; time < 3; time += 1) await readLast();
    await vi.waitFor(async () => expect(await openSockets()).toBe(0), { timeout: 10_000 });
  });

  it('is cut off when it says ever more', async () => {
    await readLast();
    endless = setInterval(() => begun[0]?.write(`: ${'x'.repeat(16 * 1024)}\n\n`), 1);
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true), { timeout: 10_000 });
  });
});

describe('a call that waits for a connection', () => {
  it('ends at once when it is aborted, and an abort of the others need not wait for one', async () => {
    const none = new Cancellation();
    const first = await http.stream(call('/generate'), none);
    const second = await http.stream(call('/generate'), none);
    const waiting = new Cancellation();
    const third = http.stream(call('/generate'), waiting);
    expect((await http.call(call('/abort_request'), none)).status).toBe(200);
    waiting.abort();
    await expect(third).rejects.toBeInstanceOf(EngineConnectionError);
    expect(begun).toHaveLength(2);
    // Nor does it take a connection later.
    for (const response of begun) response.end();
    for (const { events } of [first, second]) for await (const data of events) expect(data).toBe('last');
    await readLast();
    expect(begun).toHaveLength(3);
  });

  it('is counted until it has one, and an open one until its connection is free', async () => {
    const none = new Cancellation();
    const open = [await http.stream(call('/generate'), none), await http.stream(call('/generate'), none)];
    const waiting = new Cancellation();
    const third = http.stream(call('/generate'), none);
    const fourth = http.stream(call('/generate'), waiting);
    expect(http.calls).toEqual({ open: 2, waiting: 2 });
    waiting.abort();
    await expect(fourth).rejects.toBeInstanceOf(EngineConnectionError);
    expect(http.calls).toEqual({ open: 2, waiting: 1 });
    begun[0]?.end();
    for await (const data of open[0]?.events ?? []) expect(data).toBe('last');
    const { events } = await third;
    expect(http.calls).toEqual({ open: 2, waiting: 0 });
    for (const response of begun) response.end();
    for (const reader of [open[1]?.events ?? [], events]) for await (const data of reader) expect(data).toBe('last');
    await vi.waitFor(() => expect(http.calls).toEqual({ open: 0, waiting: 0 }));
    expect(calls.slice(0, 5)).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
      [2, 2],
      [2, 1],
    ]);
    expect(calls.at(-1)).toEqual([0, 0]);
  });

  it('of an engine that is not there is counted no longer', async () => {
    const gone = { ...call('/generate'), url: 'http://127.0.0.1:1/generate' };
    await expect(http.stream(gone, new Cancellation())).rejects.toBeInstanceOf(EngineConnectionError);
    expect(calls).toEqual([
      [1, 0],
      [0, 0],
    ]);
  });
});
