import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorBodySchema } from '../../shared/wire/errors';
import { rewardViewSchema, setRewardReplySchema, statusSchema, withdrawRewardReplySchema } from '../../shared/wire/rl';
import { openDatabase } from '../store/database';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
beforeEach(() => {
  test = createTestGateway();
});
afterEach(() => test.close());

const rate = (key: string | null, body: unknown): Promise<Response> =>
  test.call('POST', '/rl/set_reward', { key, body });
const detailOf = async (reply: Response): Promise<unknown> => errorBodySchema.parse(await reply.json()).detail;

describe('POST /rl/set_reward', () => {
  it('rates the last finished answer, and says what happened to the earlier value', async () => {
    const { key } = await test.startSession();
    await test.chat(key, 'one');
    const { id } = await test.chat(key, 'two');
    const replies = [];
    for (const reward of [1, -0.5, -0.5])
      replies.push(setRewardReplySchema.parse(await (await rate(key, { reward })).json()));
    expect(replies).toEqual([
      { message: 'success', interaction_id: id, outcome: 'set', previous_reward: null },
      { message: 'success', interaction_id: id, outcome: 'changed', previous_reward: 1 },
      { message: 'success', interaction_id: id, outcome: 'unchanged', previous_reward: -0.5 },
    ]);
  });

  it('rates an answer by id, also an earlier one', async () => {
    const { key } = await test.startSession();
    const first = await test.chat(key, 'one');
    await test.chat(key, 'two');
    const reply = await rate(key, { reward: 0, interaction_id: first.id, note: 'meh', rater_id: 'ada' });
    expect(await reply.json()).toMatchObject({ interaction_id: first.id, outcome: 'set' });
  });

  it('takes the admin key with an id, also after the session ended', async () => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await test.call('POST', '/rl/end_session', { key });
    const reply = await rate(ADMIN_KEY, { reward: 1, interaction_id: id });
    expect(await reply.json()).toMatchObject({ outcome: 'set', interaction_id: id });
  });

  it.each([
    ['a string', '{"reward": "0.5"}', 422],
    ['a boolean', '{"reward": true}', 422],
    ['null', '{"reward": null}', 422],
    ['nothing', '{}', 422],
    ['a number that is infinite in JSON', '{"reward": 1e999}', 422],
    ['NaN, which is no JSON', '{"reward": NaN}', 400],
    ['a list', '[1]', 422],
    ['a note that is a number', '{"reward": 1, "note": 7}', 422],
  ])('refuses %s as reward', async (_reason, body, status) => {
    const { key } = await test.startSession();
    await test.chat(key, 'one');
    const reply = await rate(key, body);
    expect(reply.status).toBe(status);
    expect(String(await detailOf(reply)).length).toBeGreaterThan(20);
  });

  it('says that a reward must be a finite number', async () => {
    const { key } = await test.startSession();
    expect(await detailOf(await rate(key, '{"reward": 1e999}'))).toContain('finite number');
  });

  it('refuses when nothing has finished, an unknown id, and an id of another session', async () => {
    const first = await test.startSession();
    const second = await test.startSession();
    const none = await rate(first.key, { reward: 1 });
    expect([none.status, await detailOf(none)]).toEqual([400, expect.stringContaining('No interactions in session')]);
    const { id } = await test.chat(second.key, 'one');
    for (const interaction_id of ['chatcmpl-x', id]) {
      const reply = await rate(first.key, { reward: 1, interaction_id });
      expect([reply.status, await detailOf(reply)]).toEqual([
        400,
        expect.stringContaining(`${interaction_id} not found`),
      ]);
    }
    expect((await rate(ADMIN_KEY, { reward: 1, interaction_id: 'chatcmpl-x' })).status).toBe(404);
    expect((await rate(ADMIN_KEY, { reward: 1 })).status).toBe(422);
    expect((await rate('sk-sess-x', { reward: 1 })).status).toBe(401);
  });

  it('keeps a rating over a restart', async () => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await rate(key, { reward: 0.5 });
    await test.gateway.close();
    const again = createTestGateway({ dataDir: test.dataDir });
    const reply = await again.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(await reply.json()).toMatchObject({ reward: 0.5, rating_state: 'waiting' });
    expect(await (await again.chat(key, 'two')).status).toBe(200);
    await again.close();
  });
});

describe('DELETE /rl/interactions/{id}/reward', () => {
  it('takes a rating back, once', async () => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await rate(key, { reward: 1 });
    const previous = [];
    for (let i = 0; i < 2; i += 1) {
      const reply = await test.call('DELETE', `/rl/interactions/${id}/reward`, { key: ADMIN_KEY });
      previous.push(withdrawRewardReplySchema.parse(await reply.json()).previous_reward);
    }
    expect(previous).toEqual([1, null]);
    const view = await test.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(await view.json()).toMatchObject({ reward: null, rating_state: 'unrated' });
  });

  it('takes the key of the session itself, of no other, and says whether there was a rating', async () => {
    const { key } = await test.startSession();
    const other = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await rate(key, { reward: 0.5 });
    const foreign = await test.call('DELETE', `/rl/interactions/${id}/reward`, { key: other.key });
    expect(foreign.status).toBe(400);
    const replies = [];
    for (let i = 0; i < 2; i += 1) {
      const reply = await test.call('DELETE', `/rl/interactions/${id}/reward`, { key });
      replies.push(withdrawRewardReplySchema.parse(await reply.json()));
    }
    expect(replies).toEqual([
      { message: 'success', interaction_id: id, outcome: 'withdrawn', previous_reward: 0.5 },
      { message: 'success', interaction_id: id, outcome: 'none', previous_reward: null },
    ]);
    await test.call('POST', '/rl/end_session', { key });
    expect((await test.call('DELETE', `/rl/interactions/${id}/reward`, { key })).status).toBe(401);
    expect((await test.call('DELETE', '/rl/interactions/x/reward', { key: ADMIN_KEY })).status).toBe(404);
    expect((await test.call('DELETE', `/rl/interactions/${id}/reward`)).status).toBe(401);
  });
});

describe('GET /rl/interactions/{id}/reward', () => {
  const read = async (id: string, key: string = ADMIN_KEY) => {
    const reply = await test.call('GET', `/rl/interactions/${id}/reward`, { key });
    expect(reply.status).toBe(200);
    return rewardViewSchema.parse(await reply.json());
  };

  it('tells the rating, who gave it and why, every change, and what can still be done', async () => {
    const { key, id: session } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    expect(await read(id, key)).toMatchObject({ reward: null, state: 'unrated', can: ['set'], history: [] });
    await rate(key, { reward: 1, rater_id: 'ada', note: 'good' });
    await rate(key, { reward: -1, rater_id: 'bob', note: 'no, wrong' });
    const view = await read(id, key);
    expect(view).toMatchObject({
      interaction_id: id,
      session_id: session,
      reward: -1,
      rater_id: 'bob',
      note: 'no, wrong',
      rated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      discounted_reward: null,
      normalised_reward: null,
      state: 'waiting',
      can: ['change', 'withdraw'],
    });
    expect(view.history.map(({ reward, rater_id, note }) => [reward, rater_id, note])).toEqual([
      [1, 'ada', 'good'],
      [-1, 'bob', 'no, wrong'],
    ]);
    await test.call('DELETE', `/rl/interactions/${id}/reward`, { key });
    expect(await read(id, key)).toMatchObject({ reward: null, can: ['set'], history: [{}, {}, { reward: null }] });
  });

  it('is for the session itself and the admin', async () => {
    const { key } = await test.startSession();
    const other = await test.startSession();
    const { id } = await test.chat(key, 'one');
    expect((await test.call('GET', `/rl/interactions/${id}/reward`, { key: other.key })).status).toBe(400);
    expect((await test.call('GET', `/rl/interactions/${id}/reward`)).status).toBe(401);
    expect((await test.call('GET', '/rl/interactions/x/reward', { key: ADMIN_KEY })).status).toBe(404);
    expect((await read(id)).interaction_id).toBe(id);
  });
});

describe('the answer a rating means', () => {
  it.each([
    ['the id of a chat completion', (id: string) => id],
    ['its first choice by number', (id: string) => `${id}-0`],
    ['the same answer as a response', (id: string) => id.replace('chatcmpl-', 'resp_')],
    ['the same answer as a message', (id: string) => id.replace('chatcmpl-', 'msg_')],
    ['AReaL’s form of a response id', (id: string) => id.replace('chatcmpl-', 'resp-')],
    ['one output item of it', (id: string) => `${id.replace('chatcmpl-', 'msg_')}_1`],
  ])('is found by %s', async (_name, called) => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await test.chat(key, 'two');
    const reply = await rate(key, { reward: 1, interaction_id: called(id) });
    expect(await reply.json()).toMatchObject({ outcome: 'set', interaction_id: id });
  });

  it('is one choice of several', async () => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one', { n: 2, temperature: 1 });
    for (const [name, reward] of [
      [`${id}-1`, -1],
      [`${id}-0`, 1],
    ] as const)
      expect((await rate(key, { reward, interaction_id: name })).status).toBe(200);
    const read = async (name: string) =>
      (await (await test.call('GET', `/rl/interactions/${name}/reward`, { key })).json()) as { reward: number };
    expect([(await read(id)).reward, (await read(`${id}-1`)).reward]).toEqual([1, -1]);
  });
});

describe('a session nobody rated in time', () => {
  const standing = async (id: string) =>
    rewardViewSchema.parse(await (await test.call('GET', `/rl/interactions/${id}/reward`, { key: ADMIN_KEY })).json());

  it('is dropped by the policy drop, and counts again when somebody rates it late', async () => {
    const { key } = await test.startSession({ unrated_policy: 'drop', turn_discount: 1 });
    const first = await test.chat(key, 'one');
    const second = await test.chat(key, 'two');
    await test.gateway.listen();
    await test.call('POST', '/rl/end_session', { key });
    await vi.waitFor(async () => expect((await standing(first.id)).state).toBe('dropped'), { timeout: 10_000 });
    expect(await standing(second.id)).toMatchObject({ reason: 'not rated', can: ['set'] });
    const reply = await rate(ADMIN_KEY, { reward: 1, interaction_id: second.id });
    expect(await reply.json()).toMatchObject({ outcome: 'set' });
    expect((await standing(second.id)).state).toBe('waiting');
    // the late rating speaks of the turn before it too
    expect((await standing(first.id)).state).toBe('unrated');
    const { batch } = statusSchema.parse(await (await test.call('GET', '/rl/status', { key: ADMIN_KEY })).json());
    expect(batch.filled).toBe(2);
  });

  it('counts as 0 by the policy zero, which a script may be given by default', async () => {
    const gateway = createTestGateway({ config: { unratedPolicy: { agent: 'zero', human: 'hold' } } });
    const filled = async () =>
      statusSchema.parse(await (await gateway.call('GET', '/rl/status', { key: ADMIN_KEY })).json()).batch.filled;
    for (const source of ['human', 'agent']) {
      const { key } = await gateway.startSession({ source });
      await gateway.chat(key, 'one');
      await gateway.call('POST', '/rl/end_session', { key });
    }
    expect(await filled()).toBe(1);
    await gateway.close();
  });

  it('of a trainer outside never fills a batch here', async () => {
    const { key, id: session } = await test.startSession({ consumer: 'external' });
    const { id } = await test.chat(key, 'one');
    await rate(key, { reward: 1 });
    await test.call('POST', '/rl/end_session', { key });
    const { batch } = statusSchema.parse(await (await test.call('GET', '/rl/status', { key: ADMIN_KEY })).json());
    expect(batch.filled).toBe(0);
    await rate(ADMIN_KEY, { reward: 0.5, interaction_id: id });
    const taken = await test.call('POST', '/export_trajectories', { key: ADMIN_KEY, body: { session_id: session } });
    expect(await taken.json()).toMatchObject({ interactions: { [id]: { reward: 0.5 } } });
    expect((await rate(ADMIN_KEY, { reward: 1, interaction_id: id })).status).toBe(409);
  });
});

describe('a rating that a batch holds', () => {
  it.each([
    ['formed', null, /batch 4/],
    ['trained', 9, /version 9.*batch 4/],
    ['too_stale', null, /too_stale.*batch 4/],
  ] as const)('%s can be neither changed nor withdrawn', async (state, version, sentence) => {
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'one');
    await rate(key, { reward: 1 });
    await test.gateway.close();
    const database = openDatabase(join(test.dataDir, 'runs', 'plaudit', 'trial0', 'plaudit.db'));
    database.run('INSERT INTO batches VALUES (4, ?, 1, 0, NULL, 1, ?, NULL)', [state, version]);
    database.run('INSERT INTO batch_items VALUES (?, 4, 0, ?, ?, 1, 1, NULL)', [id, 'task-0', 'task-0']);
    database.close();
    const again = createTestGateway({ dataDir: test.dataDir });
    const replies = [
      await again.call('POST', '/rl/set_reward', { key, body: { reward: -1 } }),
      await again.call('POST', '/rl/set_reward', { key: ADMIN_KEY, body: { reward: -1, interaction_id: id } }),
      await again.call('DELETE', `/rl/interactions/${id}/reward`, { key: ADMIN_KEY }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(409);
      expect(await detailOf(reply)).toMatch(sentence);
    }
    const repeated = await again.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    expect(await repeated.json()).toMatchObject({ outcome: 'unchanged', previous_reward: 1 });
    const view = await again.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(await view.json()).toMatchObject({ reward: 1, batch_id: 4 });
    await again.close();
  });
});

describe('GET /rl/status', () => {
  it('has the form the studio reads', async () => {
    const reply = await test.call('GET', '/rl/status', { key: ADMIN_KEY });
    const status = statusSchema.parse(await reply.json());
    expect(status).toMatchObject({ served_version: 0, engine: { state: 'serving' }, model: { context_length: 256 } });
  });
});

describe('the batch in GET /rl/status', () => {
  it('counts rated answers, apart while their session is open', async () => {
    const read = async (): Promise<unknown> =>
      statusSchema.parse(await (await test.call('GET', '/rl/status', { key: ADMIN_KEY })).json()).batch;
    const { key } = await test.startSession({ turn_discount: 0 });
    await test.chat(key, 'one');
    expect(await read()).toEqual({ size: 16, filled: 0, open_rated: 0, next_id: 1 });
    await rate(key, { reward: 1 });
    expect(await read()).toMatchObject({ filled: 0, open_rated: 1 });
    await test.call('POST', '/rl/end_session', { key });
    expect(await read()).toMatchObject({ filled: 1, open_rated: 0 });
  });
});

describe('GET /rl/events', () => {
  it('tells what happened, in order, until the gateway closes', async () => {
    const reply = await test.call('GET', '/rl/events', { key: ADMIN_KEY });
    const { key, id } = await test.startSession();
    await test.chat(key, 'one');
    await rate(key, { reward: 1 });
    await test.call('POST', '/rl/end_session', { key });
    await test.gateway.close();
    const frames = (await reply.text()).split('\n\n').filter((frame) => frame.startsWith('event: '));
    const kinds = frames.map((frame) => /^event: (\S+)/.exec(frame)?.[1]);
    const own = kinds.filter((kind) =>
      ['session-start', 'interaction-end', 'reward-set', 'session-end'].includes(kind ?? ''),
    );
    expect(own).toEqual(['session-start', 'interaction-end', 'reward-set', 'session-end']);
    expect(frames[0]).toContain(`"session_id":"${id}"`);
  });
});

describe('the guards', () => {
  it.each([
    ['localhost with a port', 'localhost:1234', 200],
    ['the address', '127.0.0.1', 200],
    ['IPv6', '[::1]:80', 200],
    ['a foreign name', 'evil.example', 403],
    ['a name that begins like the address', '127.0.0.1.evil.example', 403],
  ])('answer to %s as host with %i', async (_reason, host, status) => {
    const reply = await test.call('GET', '/health', { headers: { host } });
    expect(reply.status).toBe(status);
  });

  it('let only configured origins in', async () => {
    const own = 'app://studio';
    const gateway = createTestGateway({ config: { allowedOrigins: [own] } });
    const preflight = (origin: string): Promise<Response> =>
      gateway.call('OPTIONS', '/rl/set_reward', { headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await preflight(own);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, own]);
    const refused = await preflight('https://evil.example');
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const read = async (origin: string): Promise<string | null> =>
      (await gateway.call('GET', '/health', { headers: { origin } })).headers.get('access-control-allow-origin');
    expect([await read(own), await read('https://evil.example')]).toEqual([own, null]);
    await gateway.close();
  });
});
