import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorBodySchema } from '../../shared/wire/errors';
import {
  endSessionReplySchema,
  sessionDetailSchema,
  sessionsSchema,
  startSessionReplySchema,
} from '../../shared/wire/rl';
import type { Clock } from '../platform/clock';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
beforeEach(() => {
  test = createTestGateway();
});
afterEach(() => test.close());

const start = (body: unknown, key: string | null = ADMIN_KEY): Promise<Response> =>
  test.call('POST', '/rl/start_session', { key, body });

describe('POST /rl/start_session', () => {
  it('answers with an id counted per task and a fresh key', async () => {
    const reply = await start({ task_id: 'demo' });
    expect(reply.status).toBe(200);
    const body = startSessionReplySchema.parse(await reply.json());
    expect(body.session_id).toBe('demo-0');
    expect(body.api_key).toMatch(/^sk-sess-[A-Za-z0-9_-]{43}$/);
    expect(await (await start({ task_id: 'demo' })).json()).toMatchObject({ session_id: 'demo-1' });
  });

  it('ends the old session and starts a new one under the same key', async () => {
    const first = await test.startSession();
    const second = await test.startSession({ api_key: first.key });
    expect(second).toEqual({ key: first.key, id: 'task-1' });
    const list = sessionsSchema.parse(await (await test.call('GET', '/rl/sessions', { key: ADMIN_KEY })).json());
    expect(list.sessions.map(({ session_id, state }) => [session_id, state])).toContainEqual(['task-0', 'ended']);
    expect(list.sessions.map(({ session_id, state }) => [session_id, state])).toContainEqual(['task-1', 'open']);
  });

  it('takes a key again after its session ended, and never an id again', async () => {
    const first = await test.startSession();
    await test.call('POST', '/rl/end_session', { key: first.key });
    expect(await test.startSession({ api_key: first.key })).toEqual({ key: first.key, id: 'task-1' });
  });

  it('replaces a key it never issued', async () => {
    const session = await test.startSession({ api_key: 'somebody-elses' });
    expect(session.key).toMatch(/^sk-sess-/);
  });

  it.each([
    ['no key', { task_id: 't' }, null, 401, /Unauthorized/],
    ['a wrong key', { task_id: 't' }, 'nope', 401, /Unauthorized/],
    ['a key that is not ASCII', { task_id: 't' }, 'schlüssel', 401, /Unauthorized/],
    [
      'the admin key as session key',
      { task_id: 't', api_key: ADMIN_KEY },
      ADMIN_KEY,
      400,
      /Cannot use the admin API key/,
    ],
    ['no body', '', ADMIN_KEY, 422, /task_id/],
    ['no task', {}, ADMIN_KEY, 422, /task_id/],
    ['a number as task', { task_id: 7 }, ADMIN_KEY, 422, /task_id.*string/],
    ['a list', [], ADMIN_KEY, 422, /object/],
    ['broken JSON', '{"task_id":', ADMIN_KEY, 400, /not valid JSON/],
    ['a turn discount above 1', { task_id: 't', turn_discount: 1.5 }, ADMIN_KEY, 422, /turn_discount/],
    ['an unknown source', { task_id: 't', source: 'robot' }, ADMIN_KEY, 422, /source/],
  ])('refuses %s', async (_reason, body, key, status, detail) => {
    const reply = await start(body, key);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const error = errorBodySchema.parse(await reply.json());
    expect(error.detail).toMatch(detail);
    expect(error.error.message).toBe(error.detail);
  });

  it.each([
    ['Bearer', { authorization: `Bearer ${ADMIN_KEY}` }],
    ['bEaReR', { authorization: `bEaReR ${ADMIN_KEY}` }],
    ['x-api-key', { 'x-api-key': ADMIN_KEY }],
  ])('takes the admin key as %s', async (_form, headers) => {
    const reply = await test.call('POST', '/rl/start_session', { headers, body: { task_id: 't' } });
    expect(reply.status).toBe(200);
  });
});

describe('POST /rl/end_session', () => {
  it('says how many interactions there were; the key is then unknown, with the reason', async () => {
    const { key } = await test.startSession();
    await test.chat(key, 'hi');
    const reply = await test.call('POST', '/rl/end_session', { key });
    expect(endSessionReplySchema.parse(await reply.json())).toEqual({ message: 'success', interaction_count: 1 });
    for (const path of ['/rl/end_session', '/rl/set_reward', '/chat/completions']) {
      const again = await test.call('POST', path, { key, body: { reward: 1 } });
      expect(again.status).toBe(401);
      const { detail } = errorBodySchema.parse(await again.json());
      expect(detail).toMatch(/Invalid session key.*task-0 ended at 20.*start_session/);
    }
  });

  it.each([
    ['no key', null],
    ['a key it never issued', 'sk-sess-unknown'],
    ['the admin key', ADMIN_KEY],
  ])('refuses %s', async (_reason, key) => {
    const reply = await test.call('POST', '/rl/end_session', { key });
    expect(reply.status).toBe(401);
    expect(errorBodySchema.parse(await reply.json()).detail).toContain('Invalid session key');
  });
});

describe('the admin view of sessions', () => {
  it('shows a session with its interactions', async () => {
    const { key, id } = await test.startSession({
      source: 'human',
      rater_id: 'ada',
      turn_discount: 0.5,
      group_id: 'g',
    });
    const answer = await test.chat(key, 'hi');
    const reply = await test.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY });
    expect(sessionDetailSchema.parse(await reply.json())).toMatchObject({
      session_id: id,
      api_key: key,
      source: 'human',
      rater_id: 'ada',
      turn_discount: 0.5,
      group_id: 'g',
      state: 'open',
      interaction_count: 1,
      rated_count: 0,
      interactions: [{ interaction_id: answer.id, state: 'finished', output: 'ok', rating_state: 'unrated' }],
    });
  });

  it('ends a session by id, twice without harm', async () => {
    const { id, key } = await test.startSession();
    for (let i = 0; i < 2; i += 1)
      expect((await test.call('POST', `/rl/sessions/${id}/end`, { key: ADMIN_KEY })).status).toBe(200);
    expect((await test.call('POST', '/rl/end_session', { key })).status).toBe(401);
  });

  it('finds a session whose task has separators in its name', async () => {
    const { id } = await test.startSession({ task_id: 'a/b c?' });
    const reply = await test.call('GET', `/rl/sessions/${encodeURIComponent(id)}`, { key: ADMIN_KEY });
    expect(await reply.json()).toMatchObject({ session_id: 'a/b c?-0' });
  });

  it('pages', async () => {
    for (let i = 0; i < 3; i += 1) await test.startSession();
    const reply = await test.call('GET', '/rl/sessions?limit=2&offset=1&state=open', { key: ADMIN_KEY });
    const body = sessionsSchema.parse(await reply.json());
    expect(body.total).toBe(3);
    expect(body.sessions).toHaveLength(2);
  });

  it.each([
    ['GET', '/rl/sessions', null, 401],
    ['GET', '/rl/sessions?limit=0', ADMIN_KEY, 422],
    ['GET', '/rl/sessions/none-0', ADMIN_KEY, 404],
    ['GET', '/rl/sessions/none-0', null, 401],
    ['POST', '/rl/sessions/none-0/end', ADMIN_KEY, 404],
    ['POST', '/rl/sessions/none-0/end', 'wrong', 401],
    ['GET', '/rl/status', null, 401],
    ['GET', '/rl/events', null, 401],
    ['GET', '/rl/interactions/x', null, 401],
    ['GET', '/rl/interactions/x', ADMIN_KEY, 404],
    ['GET', '/nowhere', null, 404],
    ['GET', '/rl/set_reward', null, 405],
    ['POST', '/health', null, 405],
    ['PUT', '/rl/sessions/x', ADMIN_KEY, 405],
  ])('%s %s with key %s answers %i', async (method, path, key, status) => {
    const reply = await test.call(method, path, { key });
    expect(reply.status).toBe(status);
    expect(errorBodySchema.safeParse(await reply.json()).success).toBe(true);
  });
});

describe('a session that nobody uses', () => {
  it('is ended after the timeout when an agent drives it, and waits when a person does', async () => {
    let now = Date.UTC(2026, 0, 1);
    let tick: () => void = () => undefined;
    const clock: Clock = {
      now: () => now,
      sleep: () => Promise.resolve(),
      every: (_ms, callback) => {
        tick = callback;
        return () => undefined;
      },
    };
    const gateway = createTestGateway({ clock, config: { sessionTimeoutMs: 60_000 } });
    const human = await gateway.startSession({ source: 'human' });
    const idle = await gateway.startSession();
    const busy = await gateway.startSession();
    const rated = await gateway.chat(idle.key, 'hi');
    await gateway.call('POST', '/rl/set_reward', { key: idle.key, body: { reward: 1 } });
    now += 50_000;
    await gateway.chat(busy.key, 'hi');
    now += 20_000;
    tick();
    const state = async (id: string): Promise<unknown> =>
      ((await (await gateway.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY })).json()) as { state: string }).state;
    expect([await state(human.id), await state(idle.id), await state(busy.id)]).toEqual(['open', 'ended', 'open']);
    const kept = await gateway.call('GET', `/rl/interactions/${rated.id}`, { key: ADMIN_KEY });
    expect(await kept.json()).toMatchObject({ reward: 1, rating_state: 'waiting' });
    await gateway.close();
  });
});

describe('GET /health', () => {
  it('needs no key', async () => {
    const reply = await test.call('GET', '/health');
    expect(await reply.json()).toEqual({ status: 'ok', workers: 1 });
  });
});
