import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ArealClient } from '../testing/areal-client';
import { type ArealGateway, ArealGateways } from '../testing/areal-gateways';
import { ADMIN_KEY } from '../testing/test-gateway';

/** A disk that can be held, so that a reply which waits for it is certain to wait; slow, so that it is not waited for in place. */
const disk = vi.hoisted(() => ({ ready: Promise.resolve() }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync: typeof fs.fdatasync = Object.assign(
    (file: number, done: (error: NodeJS.ErrnoException | null) => void) =>
      void disk.ready.then(() => setTimeout(() => fs.fdatasync(file, done), 2)),
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  return { ...fs, fdatasync };
});

const gateways = new ArealGateways();
afterEach(() => gateways.close());

/** A trainer on a bare socket, so that a test decides when it goes away. */
function waitOnSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ worker_addr: 'http://w' });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /internal/wait_for_session HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${ADMIN_KEY}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Starts a session for a trainer that is cut off after the end was committed and before it is told. */
async function lose({ areal, remote, url }: ArealGateway): Promise<{ id: string; key: string }> {
  const socket = waitOnSocket(url);
  await remote.until(({ waiters }) => waiters === 1);
  const session = await remote.rated();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let release: () => void = () => undefined;
  disk.ready = new Promise((resolve) => {
    release = resolve;
  });
  // The end is committed inside of this call, and the reply to the trainer waits for the disk.
  const end = areal.end(session.key);
  await new Promise((resolve) => setImmediate(resolve));
  socket.resetAndDestroy();
  await closed;
  // Until the gateway has heard of it too.
  await new Promise((resolve) => setTimeout(resolve, 50));
  release();
  await end;
  return session;
}

async function untilConsumer(areal: ArealClient, id: string, consumer: string): Promise<Record<string, unknown>> {
  for (;;) {
    const view = await areal.get(`/rl/sessions/${id}`);
    if (view.consumer === consumer) return view;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the end of a session that a trainer waits for', () => {
  it('goes to the next trainer, at once, when the first is cut off before it is told', async () => {
    const gateway = await gateways.start();
    const areal = gateway.remote;
    const first = await lose(gateway);
    const told = await areal.wait();
    expect(told).toMatchObject({ status: 200, body: { session_id: first.id, session_api_key: first.key } });
    const taken = await areal.post('/export_trajectories', { session_id: first.id });
    expect(taken.status).toBe(200);
    expect(await areal.get(`/rl/sessions/${first.id}`)).toMatchObject({ taken_at: expect.any(String) });
  });

  it('is trained here when nobody comes for it in time', async () => {
    const gateway = await gateways.start({ waitTimeoutMs: 3000, batchSize: 2 });
    const areal = gateway.remote;
    const { id } = await lose(gateway);
    await untilConsumer(areal, id, 'plaudit');
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 1 } });
  });

  it('is trained here when the trainer that was told never takes it, and refused to it afterwards', async () => {
    const { remote: areal } = await gateways.start({ waitTimeoutMs: 3000, batchSize: 2 });
    const ids: string[] = [];
    for (let k = 0; k < 2; k += 1) {
      const reply = areal.wait();
      await areal.until(({ waiters }) => waiters === 1);
      const { id, key } = await areal.rated();
      await areal.end(key);
      expect((await reply).body).toMatchObject({ session_id: id });
      ids.push(id);
    }
    for (const id of ids) await untilConsumer(areal, id, 'plaudit');
    await areal.until(({ batch_id }) => batch_id === 1);
    // Without a mode: what a trainer outside knows of, it means to take.
    for (const session_id of ids) expect((await areal.post('/export_trajectories', { session_id })).status).toBe(409);
  });

  it('is told once to each of those that wait, whoever of them goes away while its session is open', async () => {
    const { remote: areal, url } = await gateways.start();
    const first = waitOnSocket(url);
    await areal.until(({ waiters }) => waiters === 1);
    const { id, key } = await areal.session();
    const second = areal.wait();
    await areal.until(({ waiters }) => waiters === 1);
    first.destroy();
    await areal.until(({ waiters }) => waiters === 0);
    await areal.end(key);
    expect((await second).body).toMatchObject({ session_id: id });
  });

  it('is told to the next trainer after a restart, if nobody was told before', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({}, dataDir);
    const { id } = await lose(before);
    await before.test.close();
    const { remote: areal } = await gateways.start({}, dataDir);
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ consumer: 'external', state: 'ended' });
    expect((await areal.wait()).body).toMatchObject({ session_id: id });
  });

  it('is not told again after a restart, and can still be taken', async () => {
    const dataDir = gateways.folder();
    const before = await gateways.start({}, dataDir);
    const reply = before.remote.wait();
    await before.remote.until(({ waiters }) => waiters === 1);
    const { id, key } = await before.remote.rated();
    await before.remote.end(key);
    expect((await reply).status).toBe(200);
    await before.test.close();
    const { remote: areal, url } = await gateways.start({}, dataDir);
    const next = waitOnSocket(url);
    await areal.until(({ waiters }) => waiters === 1);
    next.destroy();
    expect((await areal.post('/export_trajectories', { session_id: id })).status).toBe(200);
  });
});
