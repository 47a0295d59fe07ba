import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abortSessionReplySchema, sessionsSchema, startSessionGroupReplySchema } from '../../shared/wire/rl';
import { ArealClient } from '../testing/areal-client';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let areal: ArealClient;
const open = (options: Parameters<typeof createTestGateway>[0] = {}): void => {
  test = createTestGateway(options);
  areal = ArealClient.of(test);
};
beforeEach(() => open());
afterEach(() => test.close());

async function reopen(options: Parameters<typeof createTestGateway>[0]): Promise<void> {
  await test.close();
  open(options);
}

async function abort(id: string): Promise<ReturnType<typeof abortSessionReplySchema.parse>> {
  const reply = await areal.post(`/rl/sessions/${encodeURIComponent(id)}/abort`, {});
  expect(reply.status).toBe(200);
  return abortSessionReplySchema.parse(reply.body);
}

describe('what a session may choose', () => {
  it('takes discount and unrated policy from the request, else from the configuration', async () => {
    await reopen({
      config: { discountMode: 'tree', turnDiscount: 0.5, unratedPolicy: { human: 'drop', agent: 'zero' } },
    });
    const views = await Promise.all(
      [
        {},
        { source: 'human' },
        { discount_mode: 'linear', unrated_policy: 'hold', turn_discount: 1, group_id: 'g', consumer: 'external' },
      ].map(async (fields) => areal.get(`/rl/sessions/${(await areal.session(fields)).id}`)),
    );
    expect(views).toMatchObject([
      { discount_mode: 'tree', unrated_policy: 'zero', turn_discount: 0.5, consumer: 'plaudit', end_reason: null },
      { discount_mode: 'tree', unrated_policy: 'drop', turn_discount: 0.5, taken_at: null },
      { discount_mode: 'linear', unrated_policy: 'hold', turn_discount: 1, group_id: 'g', consumer: 'external' },
    ]);
  });

  it.each([
    ['discount_mode', 'log'],
    ['unrated_policy', 'keep'],
    ['turn_discount', 2],
    ['group_size', 0],
    ['group_size', 257],
    ['shape', 'v3'],
    ['consumer', 'nobody'],
  ])('refuses %s = %j', async (field, value) => {
    const reply = await areal.start({ [field]: value });
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringContaining(field) } });
  });
});

describe('the second generation’s shape', () => {
  it.each([
    ['the request says so', {}, { shape: 'v2' }],
    ['the request names a group size', {}, { group_size: 1 }],
    ['the configuration says so', { startSessionShape: 'v2' as const }, {}],
  ])('is answered with 201 when %s', async (_reason, config, fields) => {
    await reopen({ config });
    const reply = await areal.start(fields);
    expect(reply.status).toBe(201);
    const body = startSessionGroupReplySchema.parse(reply.body);
    expect(body.sessions).toHaveLength(1);
    expect((await areal.chat(body.sessions[0]?.session_api_key ?? '')).status).toBe(200);
  });

  it('can be overridden by the request', async () => {
    await reopen({ config: { startSessionShape: 'v2' } });
    expect(await areal.start({ shape: 'v1' })).toMatchObject({ status: 200, body: { session_id: 't-0' } });
  });

  it('starts a group of sessions that share a group id and nothing else', async () => {
    const { sessions, group_id } = startSessionGroupReplySchema.parse((await areal.start({ group_size: 4 })).body);
    expect(sessions.map(({ session_id }) => session_id)).toEqual(['t-0', 't-1', 't-2', 't-3']);
    expect(new Set(sessions.map(({ session_api_key }) => session_api_key)).size).toBe(4);
    const listed = sessionsSchema.parse(await areal.get(`/rl/sessions?group=${encodeURIComponent(group_id)}`));
    expect(listed.total).toBe(4);
  });

  it('starts all of a group or none', async () => {
    await reopen({ config: { maxOpenSessions: 3 } });
    await areal.session();
    expect((await areal.start({ group_size: 3 })).status).toBe(429);
    expect(await areal.capacity()).toMatchObject({ running: 1 });
    expect((await areal.start({ group_size: 2 })).status).toBe(201);
  });

  it('refuses several sessions for one key', async () => {
    const { key } = await areal.session();
    await areal.end(key);
    expect(await areal.start({ group_size: 2, api_key: key })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('a key has one session') },
    });
  });
});

describe('GET /rl/sessions', () => {
  it('filters by task, group, consumer, reason and name', async () => {
    const first = await areal.session({ task_id: 'alpha', group_id: 'pair', rater_id: 'Ada' });
    await areal.session({ task_id: 'alpha', group_id: 'pair', consumer: 'external' });
    const third = await areal.session({ task_id: 'be%ta_x' });
    await areal.end(first.key);
    await areal.session({ task_id: 'alpha', api_key: third.key });
    const ids = async (query: string): Promise<string[]> =>
      sessionsSchema
        .parse(await areal.get(`/rl/sessions?${query}`))
        .sessions.map(({ session_id }) => session_id)
        .sort();
    expect(await ids('task=alpha')).toEqual(['alpha-0', 'alpha-1', 'alpha-2']);
    expect(await ids('group=pair&state=ended')).toEqual(['alpha-0']);
    expect(await ids('consumer=external')).toEqual(['alpha-1']);
    expect(await ids('end_reason=refresh')).toEqual(['be%ta_x-0']);
    expect(await ids('end_reason=client')).toEqual(['alpha-0']);
    expect(await ids('text=aDA')).toEqual(['alpha-0']);
    expect(await ids('text=%25')).toEqual(['be%ta_x-0']);
    expect(await ids('text=alpha&state=open&limit=1&offset=1')).toHaveLength(1);
    expect(await ids('text=nobody')).toEqual([]);
  });

  it.each(['consumer=me', 'end_reason=boredom', 'limit=0'])('refuses ?%s, and names it', async (query) => {
    const reply = await test.call('GET', `/rl/sessions?${query}`, { key: 'test-admin-key' });
    expect(reply.status).toBe(422);
    const [param] = query.split('=');
    expect(await reply.json()).toMatchObject({ detail: expect.stringMatching(`^${param}: `), error: { param } });
  });
});

describe('POST /rl/sessions/{id}/abort', () => {
  it('ends the session, drops its ratings and keeps later ones out', async () => {
    await reopen({ config: { batchSize: 1 } });
    const { key, id } = await areal.session({ source: 'human', turn_discount: 0 });
    const answers = [await areal.chat(key, 'a'), await areal.chat(key, 'b')];
    await areal.post('/rl/set_reward', { reward: 1, interaction_id: answers[0]?.body.id }, { key });
    expect(await abort(id)).toEqual({
      message: 'success',
      session_id: id,
      ended: true,
      cancelled: 0,
      ratings: [
        {
          interaction_id: answers[0]?.body.id,
          reward: 1,
          state: 'dropped',
          batch_id: null,
          version: null,
          reason: 'session aborted',
        },
      ],
    });
    expect(await areal.get(`/rl/sessions/${id}`)).toMatchObject({ state: 'ended', end_reason: 'abort' });
    expect((await areal.chat(key)).status).toBe(401);
    for (const { body } of answers) {
      const late = await areal.post('/rl/set_reward', { reward: 0.5, interaction_id: body.id });
      expect(late).toMatchObject({ status: 409, body: { detail: expect.stringContaining('session aborted') } });
    }
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 0 } });
  });

  it('can be repeated, and done after the session ended', async () => {
    const { key, id } = await areal.session();
    await areal.chat(key);
    await areal.reward(key, 1);
    await areal.end(key);
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 1 } });
    const first = await abort(id);
    expect(first).toMatchObject({ ended: false, ratings: [{ state: 'dropped', reason: 'session aborted' }] });
    expect(await abort(id)).toEqual(first);
    expect(await areal.get('/rl/status')).toMatchObject({ batch: { filled: 0 } });
  });

  it('stops answers that are being sampled', async () => {
    await reopen({
      script: () => [
        { kind: 'text', text: 'for' },
        { kind: 'wait', until: new Promise(() => undefined) },
      ],
    });
    const { key, id } = await areal.session();
    const answer = areal.chat(key);
    for (;;) {
      const { interactions } = await areal.get(`/rl/sessions/${id}`);
      if ((interactions as unknown[]).length > 0) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await abort(id)).toMatchObject({ ended: true, cancelled: 1, ratings: [] });
    await answer;
    const { interactions } = (await areal.get(`/rl/sessions/${id}`)) as { interactions: { state: string }[] };
    expect(interactions).toMatchObject([{ rating_state: 'dropped', reason: 'session aborted' }]);
    expect(interactions[0]?.state).not.toBe('running');
  });

  it('leaves what a batch holds, and says so', async () => {
    await reopen({ config: { batchSize: 1 } });
    await test.gateway.listen();
    const { key, id } = await areal.session();
    await areal.chat(key);
    await areal.reward(key, 1);
    await areal.end(key);
    await areal.until(({ batch_id }) => batch_id === 1);
    expect(await abort(id)).toMatchObject({ ended: false, ratings: [{ state: 'in-batch', batch_id: 1 }] });
  });

  it('needs the admin key and a session', async () => {
    const { key, id } = await areal.session();
    expect((await areal.post(`/rl/sessions/${id}/abort`, {}, { key })).status).toBe(401);
    expect((await areal.post('/rl/sessions/none-0/abort', {})).status).toBe(404);
  });
});

describe('idle sessions', () => {
  it('end by the hundred at once, with their ratings, and the count of open ones follows', async () => {
    let now = Date.UTC(2026, 0, 1);
    const ticks: (() => void)[] = [];
    const clock = {
      now: () => now,
      sleep: () => Promise.resolve(),
      every: (_ms: number, callback: () => void) => {
        ticks.push(callback);
        return () => undefined;
      },
    };
    await reopen({ clock, config: { sessionTimeoutMs: 60_000 } });
    for (let k = 0; k < 5; k += 1) expect((await areal.start({ group_size: 240 })).status).toBe(201);
    const busy = await areal.session();
    now += 59_000;
    await areal.chat(busy.key);
    now += 2_000;
    expect(await areal.capacity()).toMatchObject({ running: 1201 });
    for (const tick of ticks) tick();
    await areal.until(({ running }) => running === 1);
    expect(await areal.get('/rl/sessions?end_reason=idle&limit=1')).toMatchObject({ total: 1200 });
  });
});
