import { afterEach, describe, expect, it } from 'vitest';
import type { ArealClient, Reply } from '../testing/areal-client';
import { ArealGateways } from '../testing/areal-gateways';

const gateways = new ArealGateways();
afterEach(() => gateways.close());

/** Starts a session, rates its one answer and ends it. */
async function ended(areal: ArealClient, reward = 1): Promise<string> {
  const { key, id } = await areal.rated(reward);
  await areal.end(key);
  return id;
}

describe('admission mode gate', () => {
  it('refuses nobody while no trainer is connected', async () => {
    const { areal } = await gateways.start({ batchSize: 1, maxHeadOffpolicyness: 0 });
    for (let k = 0; k < 5; k += 1) await areal.session();
    expect(await areal.capacity()).toMatchObject({ gated: false, running: 5 });
  });

  it('lets (η + 1)·B agents start once a trainer was here, then answers 429, and refuses no person', async () => {
    const { areal, trainer } = await gateways.start({ batchSize: 2, maxHeadOffpolicyness: 1 });
    trainer.connect();
    const keys: string[] = [];
    for (let k = 0; k < 4; k += 1) keys.push((await areal.session()).key);
    const refused = await areal.start();
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringMatching(/^No available capacity/) } });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await areal.start({ source: 'human' })).status).toBe(200);
    await areal.end(keys[0] ?? '');
    expect((await areal.start()).status).toBe(200);
    expect((await areal.start()).status).toBe(429);
    // It is started again, or waits for room on the disk: what piled up meanwhile would be too old for it.
    trainer.say({ kind: 'gone', code: 15 });
    expect((await areal.start()).status).toBe(429);
  });

  it('counts what waits for a batch, counts a batch on its way as accepted, and gives its place back', async () => {
    const { areal, trainer } = await gateways.start({ batchSize: 2, maxHeadOffpolicyness: 0 });
    trainer.connect();
    await ended(areal, 1);
    expect(await areal.capacity()).toMatchObject({ gated: true, accepted: 1, capacity: 1, batch_id: 0 });
    await ended(areal, 0);
    const facts = await areal.until(({ batch_id }) => batch_id === 1);
    expect(facts).toMatchObject({ accepted: 2, running: 0, capacity: 2 });
  });

  it('never shuts out the session that the next batch needs', async () => {
    const { areal, trainer } = await gateways.start({ batchSize: 2, maxHeadOffpolicyness: 0 });
    trainer.connect();
    // One session with more rows than (η + 1)·B, and a batch needs two.
    const { key } = await areal.session();
    for (const question of ['a', 'b', 'c']) {
      await areal.chat(key, question);
      await areal.reward(key, 1);
    }
    await areal.end(key);
    expect(await areal.capacity()).toMatchObject({ accepted: 3, capacity: 1 });
    await ended(areal);
    await areal.until(({ batch_id }) => batch_id === 1);
  });

  it('lets a refresh wait until a session ends, first come first served', async () => {
    const { areal, trainer } = await gateways.start({ batchSize: 1, maxHeadOffpolicyness: 0 });
    const old = [await areal.session(), await areal.session()];
    const others = [await areal.session(), await areal.session()];
    trainer.connect();
    const order: number[] = [];
    const refreshes: Promise<Reply>[] = [];
    for (const [k, { key }] of old.entries()) {
      refreshes.push(
        areal.start({ api_key: key }).then((reply) => {
          order.push(k);
          return reply;
        }),
      );
      await areal.until(({ refreshing }) => refreshing === k + 1);
    }
    for (const { key } of others) await areal.end(key);
    expect((await refreshes[0])?.body.api_key).toBe(old[0]?.key);
    await areal.end(old[0]?.key ?? '');
    expect((await refreshes[1])?.body.api_key).toBe(old[1]?.key);
    expect(order).toEqual([0, 1]);
  });

  it('bounds the open sessions of agents in every mode', async () => {
    for (const admission of ['gate', 'soft'] as const) {
      const { areal } = await gateways.start({ admission, maxOpenSessions: 2 });
      await areal.session();
      const { key } = await areal.session();
      expect((await areal.start()).status).toBe(429);
      await areal.end(key);
      expect((await areal.start()).status).toBe(200);
    }
  });
});

describe('a refresh that finds room', () => {
  it('keeps the trainer it was given, whoever else waits for room', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({}, dataDir);
    const [a, r, x] = [await before.areal.session(), await before.areal.session(), await before.areal.session()];
    await before.test.close();
    // Three are open where one may be: a refresh of r finds no room, and neither would one of a before x has ended.
    const { areal } = await gateways.start({ maxOpenSessions: 1 }, dataDir);
    const queued = areal.start({ api_key: r.key });
    await areal.until(({ refreshing }) => refreshing === 1);
    await areal.end(x.key);
    const { reply } = await areal.waitInLine();
    const fresh = await areal.session({ api_key: a.key });
    expect(await areal.capacity()).toMatchObject({ refreshing: 1, waiters: 0, external: 1, running: 0 });
    await areal.end(fresh.key);
    expect((await reply).body).toMatchObject({ session_id: fresh.id });
    expect(await queued).toMatchObject({ status: 200, body: { api_key: r.key } });
  });
});

describe('admission mode soft', () => {
  it('lets agents start however much waits', async () => {
    const { areal, trainer } = await gateways.start({ admission: 'soft', batchSize: 1, maxHeadOffpolicyness: 0 });
    trainer.connect();
    for (let k = 0; k < 5; k += 1) await areal.session();
  });
});

describe('admission mode grants', () => {
  it('lets in what was granted, each grant once, and people always', async () => {
    const { areal } = await gateways.start({ admission: 'grants' });
    expect((await areal.start()).status).toBe(429);
    expect((await areal.grant()).body).toEqual({ capacity: 1 });
    expect((await areal.grant()).body).toEqual({ capacity: 2 });
    expect((await areal.start({ source: 'human' })).status).toBe(200);
    await areal.session();
    await areal.session();
    expect((await areal.start()).status).toBe(429);
  });

  it('uses the grant of the trainer whose place a session takes, and no second one', async () => {
    const { areal } = await gateways.start({ admission: 'grants' });
    await areal.grant();
    const { reply } = await areal.waitInLine();
    expect(await areal.capacity()).toMatchObject({ granted: 1, capacity: 0, waiters: 1 });
    const { key } = await areal.session();
    expect(await areal.capacity()).toMatchObject({ granted: 0, waiters: 0, external: 1 });
    expect((await areal.start()).status).toBe(429);
    await areal.end(key);
    expect((await reply).status).toBe(200);
  });

  it('withdraws the grant of a trainer that went away, so that no session starts that nobody waits for', async () => {
    const { areal } = await gateways.start({ admission: 'grants' });
    await areal.grant();
    const gone = new AbortController();
    const { reply } = await areal.waitInLine(gone.signal);
    gone.abort();
    expect((await reply).status).toBe(503);
    expect(await areal.capacity()).toMatchObject({ granted: 0, waiters: 0 });
    expect((await areal.start()).status).toBe(429);
  });

  it('starts a waiting refresh as soon as something is granted', async () => {
    const { areal } = await gateways.start({ admission: 'grants' });
    await areal.grant();
    const { key } = await areal.session();
    const refreshed = areal.start({ api_key: key });
    await areal.until(({ refreshing }) => refreshing === 1);
    await areal.grant();
    expect(await refreshed).toMatchObject({ status: 200, body: { api_key: key } });
  });
});

describe('trainers that wait', () => {
  it('are served in the order in which they came', async () => {
    const { areal } = await gateways.start();
    const first = await areal.waitInLine();
    const second = await areal.waitInLine();
    const [a, b] = [await areal.session(), await areal.session()];
    await areal.end(b.key);
    expect((await second.reply).body.session_id).toBe(b.id);
    await areal.end(a.key);
    expect((await first.reply).body.session_id).toBe(a.id);
  });

  it('are not given a person’s session', async () => {
    const { areal } = await gateways.start();
    const gone = new AbortController();
    const { reply } = await areal.waitInLine(gone.signal);
    const human = await areal.session({ source: 'human' });
    expect(await areal.get(`/rl/sessions/${human.id}`)).toMatchObject({ consumer: 'plaudit' });
    gone.abort();
    await reply;
  });

  it('leave the queue when their connection breaks', async () => {
    const { areal, remote } = await gateways.start();
    const gone = new AbortController();
    const lost = remote.wait(gone.signal).catch(() => null);
    await areal.until(({ waiters }) => waiters === 1);
    gone.abort();
    await lost;
    await areal.until(({ waiters }) => waiters === 0);
    const { id } = await areal.session();
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ consumer: 'plaudit' });
  });

  it('hand an open session on to the next one when they go away', async () => {
    const { areal } = await gateways.start();
    const gone = new AbortController();
    const first = await areal.waitInLine(gone.signal);
    const { key, id } = await areal.session();
    gone.abort();
    await first.reply;
    const second = areal.wait(undefined, 'http://second');
    await areal.chat(key);
    await areal.end(key);
    expect((await second).body).toEqual({ session_api_key: key, session_id: id, worker_addr: 'http://second' });
  });

  it('leave the session to training here when nobody waits for it at its end', async () => {
    const { areal } = await gateways.start();
    const gone = new AbortController();
    const { reply } = await areal.waitInLine(gone.signal);
    const { key, id } = await areal.session();
    await areal.chat(key);
    await areal.reward(key, 1);
    gone.abort();
    await reply;
    await areal.end(key);
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ consumer: 'plaudit' });
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 1 } });
  });

  it('keep a session that somebody waits for out of batches', async () => {
    const { areal } = await gateways.start({ batchSize: 1 });
    const { reply } = await areal.waitInLine();
    await ended(areal);
    expect((await reply).status).toBe(200);
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 0, next_id: 1 } });
  });
});

describe('a restart', () => {
  it('changes neither counters nor grants', async () => {
    const dataDir = gateways.folder();
    const config = { admission: 'grants', batchSize: 2 } as const;
    const before = await gateways.start(config, dataDir);
    for (let k = 0; k < 7; k += 1) await before.areal.grant();
    await ended(before.areal, 1);
    await ended(before.areal, 0);
    await before.areal.until(({ batch_id }) => batch_id === 1);
    await ended(before.areal);
    await before.areal.session();
    const counted = await before.areal.capacity();
    expect(counted).toMatchObject({ batch_id: 1, accepted: 3, running: 1, granted: 3, capacity: 3 });
    await before.test.close();
    const after = await gateways.start(config, dataDir);
    expect(await after.areal.capacity()).toEqual(counted);
  });

  it('drops the grants of trainers that waited, and keeps their sessions for them to come back to', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({ admission: 'grants' }, dataDir);
    await before.areal.grant();
    await before.areal.grant();
    const first = await before.areal.waitInLine();
    const second = await before.areal.waitInLine();
    const { key, id } = await before.areal.session();
    await before.test.close();
    expect([(await first.reply).status, (await second.reply).status]).toEqual([503, 503]);
    const { areal } = await gateways.start({ admission: 'grants' }, dataDir);
    expect(await areal.capacity()).toMatchObject({ granted: 0, external: 1, waiters: 0 });
    const again = areal.wait();
    await areal.chat(key);
    await areal.end(key);
    expect((await again).body).toMatchObject({ session_id: id, session_api_key: key });
  });

  it('trains an awaited session here when its trainer never comes back', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({}, dataDir);
    const lost = await before.areal.waitInLine();
    const { key, id } = await before.areal.session();
    await before.test.close();
    await lost.reply;
    const { areal } = await gateways.start({}, dataDir);
    await areal.end(key);
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ consumer: 'plaudit', end_reason: 'client' });
    expect(await areal.capacity()).toMatchObject({ external: 0, running: 0 });
  });

  it('knows the key of a refresh that was waiting', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({ admission: 'grants' }, dataDir);
    await before.areal.grant();
    const { key } = await before.areal.session();
    const refresh = before.areal.start({ api_key: key });
    await before.areal.until(({ refreshing }) => refreshing === 1);
    await before.test.close();
    expect((await refresh).status).toBe(503);
    const { areal } = await gateways.start({ admission: 'grants' }, dataDir);
    await areal.grant();
    expect((await areal.session({ api_key: key })).key).toBe(key);
  });
});
