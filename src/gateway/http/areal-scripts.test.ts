import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArealClient } from '../testing/areal-client';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

// What AReaL's three demo scripts of its OpenClaw example do, over a socket and with nothing but the URL and the keys.
// Written from the protocol; a step fails like a script would, on anything but 200.
let test: TestGateway;
let url: string;
beforeAll(async () => {
  test = createTestGateway({ config: { refreshTimeoutMs: 2000 } });
  ({ url } = await test.gateway.listen());
});
afterAll(() => test.close());

/** One call; throws on every status but 200. */
async function call(path: string, key: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${path} → ${reply.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const question = { model: 'default', messages: [{ role: 'user', content: 'What is 2 + 3?' }] };

describe('start_session.py', () => {
  it('starts with a new key, and again with the key it was given', async () => {
    const first = await call('/rl/start_session', ADMIN_KEY, { task_id: 'demo-task' });
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['session_id', 'api_key']));
    const second = await call('/rl/start_session', ADMIN_KEY, { task_id: 'demo-task', api_key: first.api_key });
    expect(second.api_key).toBe(first.api_key);
    expect(second.session_id).not.toBe(first.session_id);
  });
});

describe('set_reward.py', () => {
  it('rates the last answer of a key, and a named one', async () => {
    const { api_key } = await call('/rl/start_session', ADMIN_KEY, { task_id: 'rated' });
    const key = String(api_key);
    const { id } = await call('/chat/completions', key, question);
    expect(await call('/rl/set_reward', key, { reward: 0.8 })).toMatchObject({ message: 'success' });
    expect(await call('/rl/set_reward', key, { reward: -1, interaction_id: id })).toMatchObject({ message: 'success' });
    await expect(call('/rl/set_reward', key, { reward: 1, interaction_id: 'chatcmpl-none' })).rejects.toThrow(/400/);
  });
});

describe('demo_lifecycle.py', () => {
  it('runs three episodes under one key: health, start, two turns, reward, refresh, end', async () => {
    expect(await call('/health', 'none')).toMatchObject({ status: 'ok', workers: 1 });
    let key: string | null = null;
    const sessions: string[] = [];
    for (let episode = 0; episode < 3; episode += 1) {
      const started: Record<string, unknown> = await call('/rl/start_session', ADMIN_KEY, {
        task_id: 'lifecycle',
        ...(key === null ? {} : { api_key: key }),
      });
      if (key !== null) expect(started.api_key).toBe(key);
      key = String(started.api_key);
      sessions.push(String(started.session_id));
      const first = await call('/chat/completions', key, question);
      const choices = first.choices as { message: { role: string; content: string } }[];
      await call('/chat/completions', key, {
        ...question,
        temperature: 0.7,
        top_p: 1,
        max_tokens: 16,
        messages: [...question.messages, choices[0]?.message, { role: 'user', content: 'Are you sure?' }],
      });
      await call('/rl/set_reward', key, { reward: episode / 2 });
    }
    expect(await call('/rl/end_session', key ?? '', {})).toEqual({ message: 'success', interaction_count: 2 });
    await expect(call('/chat/completions', key ?? '', question)).rejects.toThrow(/401/);
    expect(new Set(sessions).size).toBe(3);
    for (const [episode, id] of sessions.entries())
      expect(await call(`/rl/sessions/${id}`, ADMIN_KEY)).toMatchObject({
        state: 'ended',
        end_reason: episode < 2 ? 'refresh' : 'client',
        interaction_count: 2,
        interactions: [{ reward: null }, { reward: episode / 2 }],
      });
  });
});

describe('AReaL’s trainer, slot after slot', () => {
  it('grants, waits, takes the trajectories of each session, and gets every rating once', async () => {
    const slots = 4;
    const taken: unknown[] = [];
    const slot = async (): Promise<void> => {
      await call('/grant_capacity', ADMIN_KEY, {});
      const done = await call('/internal/wait_for_session', ADMIN_KEY, { worker_addr: url });
      expect(done.worker_addr).toBe(url);
      const { interactions } = await call('/export_trajectories', ADMIN_KEY, {
        session_id: done.session_id,
        discount: 1,
        style: 'individual',
      });
      for (const record of Object.values(interactions as Record<string, { reward: number }>)) taken.push(record.reward);
    };
    const trainer = Promise.all(Array.from({ length: slots }, slot));
    const areal = ArealClient.at(url);
    await areal.until(({ waiters }) => waiters === slots);
    const agent = async (k: number): Promise<void> => {
      const { key } = await areal.session({ task_id: 'outside' });
      expect((await areal.chat(key)).status).toBe(200);
      expect((await areal.reward(key, k)).status).toBe(200);
      expect((await areal.end(key)).status).toBe(200);
    };
    await Promise.all([0, 1, 2, 3].map(agent));
    await trainer;
    expect([...taken].sort()).toEqual([0, 1, 2, 3]);
    const { sessions } = (await areal.get('/rl/sessions?task=outside')) as { sessions: { taken_at: string | null }[] };
    expect(sessions.filter(({ taken_at }) => taken_at !== null)).toHaveLength(slots);
    expect(await areal.capacity()).toMatchObject({ waiters: 0, external: 0 });
  });
});
