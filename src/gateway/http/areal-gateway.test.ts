import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../platform/clock';
import { ArealClient } from '../testing/areal-client';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let areal: ArealClient;
const open = (config: Parameters<typeof createTestGateway>[0] = {}): void => {
  test = createTestGateway(config);
  areal = ArealClient.of(test);
};
beforeEach(() => open());
afterEach(() => test.close());

/** Replaces the gateway of a test by one with other settings. */
async function reopen(config: NonNullable<Parameters<typeof createTestGateway>[0]>['config']): Promise<void> {
  await test.close();
  open({ config });
}

describe('AReaL’s test_proxy_gateway', () => {
  // test_health_returns_ok; one process is one worker here
  it('answers health with the number of workers', async () => {
    expect(await (await test.call('GET', '/health')).json()).toEqual({ status: 'ok', workers: 1 });
  });

  it.each<[string, string, string | null, unknown]>([
    ['test_start_session_rejects_bad_token', '/rl/start_session', 'wrong-key', {}],
    ['test_start_session_rejects_missing_auth', '/rl/start_session', null, {}],
    ['test_chat_completions_rejects_unknown_session', '/chat/completions', 'unknown', { model: 'test', messages: [] }],
    ['test_set_reward_rejects_unknown_session', '/rl/set_reward', 'unknown', {}],
    ['test_end_session_rejects_unknown_session', '/rl/end_session', 'unknown', {}],
    ['test_wait_for_session_rejects_bad_token', '/internal/wait_for_session', 'wrong-key', { worker_addr: 'http://w' }],
  ])('%s', async (_case, path, key, body) => {
    expect((await areal.post(path, body, { key })).status).toBe(401);
  });

  // test_refresh_known_active_key
  it('refreshes an open key: the first waiter hears of the old session, the next one has the new', async () => {
    const first = await areal.waitInLine();
    const { key, id } = await areal.session();
    const controller = new AbortController();
    const second = await areal.waitInLine(controller.signal);
    const refreshed = await areal.session({ api_key: key });
    expect(refreshed.key).toBe(key);
    expect(refreshed.id).not.toBe(id);
    expect(await first.reply).toMatchObject({ status: 200, body: { session_id: id, session_api_key: key } });
    controller.abort();
    expect((await second.reply).status).toBe(503);
  });

  // test_refresh_timeout_returns_429, and our own: the key stays known
  it('answers 429 when no trainer comes in time, and takes the same key again', async () => {
    await reopen({ admission: 'grants', refreshTimeoutMs: 50 });
    const first = await areal.waitInLine();
    const { key, id } = await areal.session();
    const refused = await areal.start({ api_key: key });
    expect(refused.status).toBe(429);
    expect(String(refused.body.detail).toLowerCase()).toContain('timed out');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await first.reply).toMatchObject({ status: 200, body: { session_id: id } });
    expect((await areal.chat(key)).status).toBe(401);
    await areal.grant();
    expect((await areal.session({ api_key: key })).key).toBe(key);
  });

  // test_reuse_known_inactive_key_round_robin
  it('takes the key of an ended session again', async () => {
    const { key, id } = await areal.session();
    expect((await areal.end(key)).status).toBe(200);
    const again = await areal.session({ api_key: key });
    expect(again.key).toBe(key);
    expect(again.id).not.toBe(id);
  });

  // test_unknown_key_stripped
  it('replaces a key that it never issued', async () => {
    expect((await areal.session({ api_key: 'user-invented-key' })).key).not.toBe('user-invented-key');
  });

  // test_none_api_key_normal_flow
  it.each([[undefined], [null], ['']])('makes a key for api_key %j', async (api_key) => {
    expect((await areal.session({ api_key })).key).toMatch(/^sk-sess-[A-Za-z0-9_-]{43}$/);
  });

  // test_key_pool_eviction: there the third key pushes the first out of a pool of two; here no key is ever forgotten
  it('remembers the first of many keys', async () => {
    const keys: string[] = [];
    for (let k = 0; k < 20; k += 1) {
      const { key } = await areal.session();
      await areal.end(key);
      keys.push(key);
    }
    for (const key of [keys[0], keys[19]]) expect((await areal.session({ api_key: key })).key).toBe(key);
  });

  // test_ready_worker_reject_cancels_future: a request that is refused uses no waiter up, and what cancels is our close
  it('keeps the waiter of a refused request, and cancels it when the gateway closes', async () => {
    const { reply } = await areal.waitInLine();
    for (const [body, status] of [
      ['{"task_id":', 400],
      [{}, 422],
      [{ api_key: ADMIN_KEY, task_id: 't' }, 400],
      [{ task_id: 't', group_size: 3, shape: 'v1' }, 422],
    ] as const)
      expect((await areal.post('/rl/start_session', body)).status).toBe(status);
    expect((await areal.capacity()).waiters).toBe(1);
    await test.close();
    const { status, body } = await reply;
    expect(status).toBe(503);
    expect(String(body.detail)).toContain('cancelled');
    open();
  });

  // test_concurrent_refresh_same_key_returns_429
  it('refuses a second refresh of one key, and its calls, while the first waits', async () => {
    await reopen({ admission: 'grants' });
    await areal.grant();
    const { key } = await areal.session();
    const gone = new AbortController();
    const first = areal.start({ api_key: key }, gone.signal);
    await areal.until(({ refreshing }) => refreshing === 1);
    const second = await areal.start({ api_key: key });
    expect(second.status).toBe(429);
    expect(second.body.detail).toBe('A refresh is already in progress for this key.');
    for (const call of [areal.chat(key), areal.reward(key, 1), areal.end(key)])
      expect(await call).toMatchObject({ status: 401, body: { detail: expect.stringContaining('being refreshed') } });
    gone.abort();
    await first;
    expect((await areal.capacity()).refreshing).toBe(0);
  });

  // test_timeout_stale_entry_skipped
  it('skips a waiter whose time is over', async () => {
    await test.close();
    const waitTimeoutMs = 3_000_000;
    let isFirst = true;
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (ms !== waitTimeoutMs || !isFirst) return systemClock.sleep(ms, signal);
      isFirst = false;
      return Promise.resolve();
    };
    open({ config: { waitTimeoutMs }, clock: { ...systemClock, sleep } });
    const stale = await areal.wait();
    expect(stale.status).toBe(408);
    expect(stale.body.detail).toBe('Timeout waiting for session completion');
    const fresh = areal.wait(undefined, 'http://fresh-worker:8000');
    await areal.until(({ waiters }) => waiters === 1);
    const { key } = await areal.session();
    await areal.end(key);
    expect(await fresh).toMatchObject({ status: 200, body: { worker_addr: 'http://fresh-worker:8000' } });
  });
});

describe('AReaL’s test_proxy_rollout_server', () => {
  // test_uses_provided_api_key: on one URL the gateway's rule holds, so the key must have been issued here
  it('uses the key that is given, once it was issued', async () => {
    const { key } = await areal.session();
    await areal.end(key);
    expect((await areal.session({ api_key: key })).key).toBe(key);
  });

  // test_generates_key_when_none
  it('makes a key that is not the admin’s', async () => {
    const { key } = await areal.session();
    expect(key).not.toBe(ADMIN_KEY);
    expect(key.length).toBeGreaterThan(10);
  });

  // test_rejects_admin_key_as_session_key
  it('refuses the admin key as a session key', async () => {
    expect((await areal.start({ api_key: ADMIN_KEY })).status).toBe(400);
  });

  // test_cleans_up_finished_session_conflict
  it('binds the key of a finished session again', async () => {
    const { key, id } = await areal.session();
    await areal.end(key);
    const next = await areal.session({ api_key: key });
    expect(next).toEqual({ key, id: expect.not.stringMatching(id) });
    await areal.chat(key);
    expect(await areal.get(`/rl/sessions/${next.id}`)).toMatchObject({ interaction_count: 1 });
  });

  // test_rejects_active_session_conflict: the gateway refreshes; the second generation of the protocol refuses
  it('refuses the key of an open session in the second generation’s shape', async () => {
    const { key, id } = await areal.session();
    const refused = await areal.start({ api_key: key, shape: 'v2' });
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining(id) } });
    expect((await areal.chat(key)).status).toBe(200);
  });

  // test_end_session_returns_interaction_count
  it('counts the interactions of a session at its end', async () => {
    const { key } = await areal.session();
    expect((await areal.end(key)).body).toEqual({ message: 'success', interaction_count: 0 });
  });

  // test_export_with_session_id_and_admin_auth
  it('exports a session by id with the admin key', async () => {
    const { key, id } = await areal.session();
    await areal.chat(key);
    await areal.end(key);
    const exported = await areal.post('/export_trajectories', { session_id: id });
    expect(exported.status).toBe(200);
    expect(Object.keys(exported.body.interactions as object)).toHaveLength(1);
  });

  // test_export_rejects_session_key
  it('refuses an export with a session key', async () => {
    const { key, id } = await areal.session();
    expect((await areal.post('/export_trajectories', { session_id: id }, { key })).status).toBe(403);
  });

  // test_export_requires_session_id
  it('refuses an export without a session id', async () => {
    expect((await areal.post('/export_trajectories', {})).status).toBe(422);
  });

  // test_export_by_session_id_after_key_remap
  it('exports the session that is named, not the one the key has now', async () => {
    const { key, id } = await areal.session();
    const { body } = await areal.chat(key);
    await areal.session({ api_key: key });
    const exported = await areal.post('/export_trajectories', { session_id: id });
    expect(Object.keys(exported.body.interactions as object)).toEqual([body.id]);
  });
});

describe('AReaL’s test_online_agent, as a client of /internal/wait_for_session', () => {
  // waits and is given the three fields
  it('is given key, id and worker of the session when it has ended', async () => {
    const { reply } = await areal.waitInLine(undefined, 'http://worker-7:1');
    const { key, id } = await areal.session();
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ consumer: 'external', state: 'open' });
    await areal.chat(key);
    await areal.end(key);
    expect((await reply).body).toEqual({ session_api_key: key, session_id: id, worker_addr: 'http://worker-7:1' });
  });

  // raises on a server error
  it('is told why when the session was aborted', async () => {
    const { reply } = await areal.waitInLine();
    const { id } = await areal.session();
    await areal.post(`/rl/sessions/${id}/abort`, {});
    expect(await reply).toMatchObject({
      status: 500,
      body: { detail: expect.stringMatching(/^Session failed: .*abort/) },
    });
  });

  // sends the worker address; a request without one is refused
  it.each([[{}], [{ worker_addr: 7 }], [[]]])('refuses the body %j', async (body) => {
    expect((await areal.post('/internal/wait_for_session', body)).status).toBe(422);
    expect((await areal.capacity()).waiters).toBe(0);
  });

  // authenticates with the admin key
  it('needs the admin key: 401 to wait, 403 to grant with a wrong one', async () => {
    const { key } = await areal.session();
    expect((await areal.post('/internal/wait_for_session', { worker_addr: 'w' }, { key })).status).toBe(401);
    expect((await areal.post('/grant_capacity', {}, { key: null })).status).toBe(401);
    expect((await areal.post('/grant_capacity', {}, { key })).status).toBe(403);
  });
});
