import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ResponseStore } from '../store/responses';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';
import { durableReply, markDurable } from './durable-reply';

/** Counts what the disk is asked for, in place and beside the event loop. */
const disk = vi.hoisted(() => ({ syncs: 0 }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync: typeof fs.fdatasync = Object.assign(
    (file: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      disk.syncs += 1;
      fs.fdatasync(file, done);
    },
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  const fdatasyncSync: typeof fs.fdatasyncSync = (file) => {
    disk.syncs += 1;
    fs.fdatasyncSync(file);
  };
  return { ...fs, fdatasync, fdatasyncSync };
});

let test: TestGateway;
afterEach(async () => {
  vi.restoreAllMocks();
  await test?.close();
});

const DIALECTS: [string, object][] = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  ['/v1/responses', { input: 'hi' }],
  ['/v1/messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 4 }],
];

describe('an answer', () => {
  it.each(DIALECTS.flatMap(([path, fields]) => [false, true].map((stream) => [path, stream, fields] as const)))(
    'of %s waits for the disk once; streamed: %j',
    async (path, stream, fields) => {
      test = createTestGateway();
      const { key } = await test.startSession();
      disk.syncs = 0;
      const reply = await test.call('POST', path, { key, body: { model: 'm', stream, ...fields } });
      expect(await reply.text()).toContain('ok');
      expect(disk.syncs).toBe(1);
    },
  );
});

describe('a stored response', () => {
  const ask = async (key: string, fields: object = {}): Promise<Record<string, unknown>> => {
    const reply = await test.call('POST', '/v1/responses', { key, body: { model: 'm', input: 'hi', ...fields } });
    return (await reply.json()) as Record<string, unknown>; // of an object in every case
  };

  it('is fetched as it was answered, also when the clock has gone on since', async () => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => (now += 700), sleep: async () => undefined, every: () => () => undefined };
    test = createTestGateway({ clock });
    const { key } = await test.startSession();
    const answered = await ask(key);
    const fetched = await test.call('GET', `/v1/responses/${String(answered.id)}`, { key });
    expect(await fetched.json()).toEqual(answered);
  });

  it('is there for the client that joined and asked to store it, when the first one did not', async () => {
    test = createTestGateway();
    const { key } = await test.startSession();
    const [first, second] = await Promise.all([ask(key, { store: false }), ask(key)]);
    expect(second.id).toBe(first.id);
    expect(test.tasks).toHaveLength(1);
    expect((await test.call('GET', `/v1/responses/${String(first.id)}`, { key })).status).toBe(200);
  });

  it('and its interaction are stored together or not at all', async () => {
    test = createTestGateway();
    const { key, id } = await test.startSession();
    vi.spyOn(ResponseStore.prototype, 'insert').mockImplementation(() => {
      throw new Error('no room for responses');
    });
    const refused = await test.call('POST', '/v1/responses', { key, body: { model: 'm', input: 'hi' } });
    expect(refused.status).toBe(500);
    const session = await (await test.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY })).json();
    expect(session).toMatchObject({ interactions: [{ state: 'failed' }] });
  });
});

describe('durableReply', () => {
  it.each([
    ['waits for the disk', '/plain', 1],
    ['does not wait for a reply that has waited by itself', '/durable', 0],
  ])('%s', async (_name, path, waits) => {
    const flush = vi.fn(async () => undefined);
    test = createTestGateway();
    const app = new Hono();
    app.use(durableReply({ flush }));
    app.get('/plain', (context) => context.text('ok'));
    app.get('/durable', (context) => {
      markDurable(context);
      return context.text('ok');
    });
    expect((await app.request(path)).status).toBe(200);
    expect(flush).toHaveBeenCalledTimes(waits);
  });
});
