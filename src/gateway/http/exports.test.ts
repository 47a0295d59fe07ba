import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorBodySchema } from '../../shared/wire/errors';
import { ADMIN_KEY, type CallOptions, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
beforeEach(() => {
  test = createTestGateway();
});
afterEach(() => test.close());

interface WireTensor {
  readonly data: string;
  readonly shape: number[];
  readonly dtype: string;
}
interface ExportBody {
  readonly interactions: Record<string, { tensor_dict: Record<string, WireTensor>; reward: number | null }>;
  readonly left_out?: Record<string, string>;
}

const ask = (body: unknown, key: string | null = ADMIN_KEY, options: CallOptions = {}): Promise<Response> =>
  test.call('POST', '/export_trajectories', { key, body, ...options });
const exported = async (body: unknown): Promise<ExportBody> => {
  const reply = await ask(body);
  expect(reply.status).toBe(200);
  return (await reply.json()) as ExportBody;
};
const rate = (key: string, reward: number, id?: string): Promise<Response> =>
  test.call('POST', '/rl/set_reward', { key, body: { reward, interaction_id: id } });
const end = (key: string): Promise<Response> => test.call('POST', '/rl/end_session', { key });
const float32Of = (tensor: WireTensor | undefined): number[] => {
  const bytes = Buffer.from(tensor?.data ?? '', 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, k) => bytes.readFloatLE(4 * k));
};
const rewardsOf = (body: ExportBody) => Object.values(body.interactions).map(({ reward }) => reward);
const detailOf = async (reply: Response): Promise<string> => String(errorBodySchema.parse(await reply.json()).detail);

/** A conversation of `turns` turns; returns the answers' ids. */
async function converse(key: string, turns: number): Promise<string[]> {
  const messages: { role: string; content: string }[] = [];
  const ids: string[] = [];
  for (let k = 0; k < turns; k += 1) {
    messages.push({ role: 'user', content: `q${k}` });
    const reply = await test.chat(key, '', { messages });
    ids.push(reply.id);
    messages.push({ role: 'assistant', content: reply.text });
  }
  return ids;
}

// AReaL: tests/experimental/openai/test_cache.py; the cases on its in-memory tensors have no counterpart here.
describe('POST /export_trajectories, AReaL’s cases', () => {
  it('test_set_reward, test_set_last_reward: by id, and the last one', async () => {
    const { key, id } = await test.startSession();
    const [first, last] = await converse(key, 2);
    await rate(key, 20);
    expect(rewardsOf(await exported({ session_id: id, discount: 0 }))).toEqual([null, 20]);
    await rate(key, 10, first);
    const body = await exported({ session_id: id, discount: 0 });
    expect([body.interactions[first ?? '']?.reward, body.interactions[last ?? '']?.reward]).toEqual([10, 20]);
  });

  it('test_set_reward_updates_cached_reward_tensors: the tensors carry the discounted and the raw reward', async () => {
    const { key, id } = await test.startSession();
    const [first, last] = await converse(key, 2);
    await rate(key, 0.5, first);
    await rate(key, 2, last);
    const { interactions } = await exported({ session_id: id, discount: 0.5 });
    const tensors = Object.values(interactions).map(({ tensor_dict }) => [
      float32Of(tensor_dict.rewards),
      float32Of(tensor_dict.original_rewards),
    ]);
    expect(tensors).toEqual([
      [[1.5], [0.5]],
      [[2], [2]],
    ]);
  });

  it('test_export_with_reward_discount', async () => {
    const { key, id } = await test.startSession();
    await converse(key, 3);
    await rate(key, 10);
    const rewards = rewardsOf(await exported({ session_id: id, discount: 0.9 }));
    expect(rewards.map((value) => value?.toFixed(12))).toEqual([8.1, 9, 10].map((value) => value.toFixed(12)));
  });

  it('test_export_triggers_reward_discount_once: a second export starts from the raw rewards', async () => {
    const { key, id } = await test.startSession();
    await converse(key, 2);
    await rate(key, 10);
    const first = await exported({ session_id: id, discount: 0.5 });
    expect(await exported({ session_id: id, discount: 0.5 })).toEqual(first);
    expect(rewardsOf(first)).toEqual([5, 10]);
  });

  it('test_export_interactions_individual_style: every record, in order', async () => {
    const { key, id } = await test.startSession();
    const ids = await converse(key, 2);
    expect(Object.keys((await exported({ session_id: id })).interactions)).toEqual(ids);
  });

  it('test_multiple_exports_after_build, test_export_concat_wrong_template_type: concat refuses what it would misstate', async () => {
    const { key, id } = await test.startSession();
    await converse(key, 1);
    const before = await exported({ session_id: id, style: 'concat' });
    expect(Object.keys(before.interactions)).toHaveLength(1);
    expect(await exported({ session_id: id, style: 'individual' })).toEqual(before);
    expect(await exported({ session_id: id, style: 'concat' })).toEqual(before);
  });

  it('test_export_interactions_empty_cache', async () => {
    const { id } = await test.startSession();
    for (const style of ['concat', 'individual'])
      expect(await exported({ session_id: id, style })).toEqual({ interactions: {} });
  });

  it.each([
    // test_export_interactions_invalid_style
    ['an unknown style', { style: 'invalid_style' }, 422],
    // test_proxy_rollout_server: missing session_id → 422
    ['no session id', { session_id: undefined }, 422],
    ['an unknown mode', { mode: 'steal' }, 422],
    ['an unknown discount mode', { discount_mode: 'graph' }, 422],
    ['a discount above 1', { discount: 1.5 }, 422],
    ['an unknown session', { session_id: 'nobody-0' }, 404],
    ['an unknown session to take', { session_id: 'nobody-0', mode: 'take' }, 404],
  ])('refuses %s', async (_name, over, status) => {
    const { id } = await test.startSession();
    expect((await ask({ session_id: id, ...over })).status).toBe(status);
  });

  it('test_proxy_rollout_server: a session key → 403, none → 401', async () => {
    const { id, key } = await test.startSession();
    expect((await ask({ session_id: id }, key)).status).toBe(403);
    expect((await ask({ session_id: id }, null)).status).toBe(401);
  });
});

describe('the rewards of an export', () => {
  it('follow the branches when asked to, and leak across them when not', async () => {
    const { key, id } = await test.startSession();
    const say = async (messages: unknown[]) => (await test.chat(key, '', { messages })).id;
    const root = [{ role: 'user', content: 'q' }];
    const first = await say(root);
    const left = await say([...root, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'left' }]);
    const right = await say([...root, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'right' }]);
    await rate(key, 1, left);
    await rate(key, -1, right);
    const by = async (discount_mode?: string) =>
      rewardsOf(await exported({ session_id: id, discount: 0.5, discount_mode }));
    expect(await by('tree')).toEqual([0, 1, -1]);
    expect(await by('linear')).toEqual([0.25, 0.5, -1]);
    expect(await by()).toEqual(await by('linear'));
    expect(Object.keys((await exported({ session_id: id })).interactions)).toEqual([first, left, right]);
  });

  // AReaL: test_retry_orphan.py::test_export_with_drop_retry_orphans_flag, test_drop_must_precede_discount
  it('leave retry orphans out before they can count, when asked to', async () => {
    const { key, id } = await test.startSession();
    const orphan = (await test.chat(key, 'hi')).id;
    const retry = (await test.chat(key, 'hi')).id;
    await rate(key, 5, orphan);
    await rate(key, 1, retry);
    const kept = await exported({ session_id: id });
    expect(Object.keys(kept.interactions)).toEqual([orphan, retry]);
    const body = await exported({ session_id: id, drop_retry_orphans: true });
    expect([Object.keys(body.interactions), rewardsOf(body)]).toEqual([[retry], [1]]);
    expect(body.left_out?.[orphan]).toMatch(/retry/);
  });
});

describe('what an export says of its records', () => {
  it('names those whose log-probabilities no ratio may use', async () => {
    const { key, id } = await test.startSession();
    await test.chat(key, 'plain');
    const odd = (await test.chat(key, 'odd', { top_p: 0.5 })).id;
    const body = (await (await ask({ session_id: id })).json()) as { distorted?: string[] };
    expect(body.distorted).toEqual([odd]);
  });

  it.each([
    ['hold', [null, 1, null], undefined],
    ['zero', [0, 1, 0], undefined],
    ['drop', [1], 2],
  ] as const)('treats unrated answers as the policy %s says', async (unrated_policy, rewards, leftOut) => {
    const { key, id } = await test.startSession({ unrated_policy });
    const ids = await converse(key, 3);
    await rate(key, 1, ids[1]);
    const body = await exported({ session_id: id, discount: 0 });
    expect(rewardsOf(body)).toEqual(rewards);
    expect(body.left_out === undefined ? undefined : Object.values(body.left_out).length).toBe(leftOut);
  });

  it('follows the discount mode of the session unless told otherwise', async () => {
    const { key, id } = await test.startSession({ discount_mode: 'tree' });
    await test.chat(key, 'one');
    const other = (await test.chat(key, 'two')).id;
    await rate(key, 1, other);
    expect(rewardsOf(await exported({ session_id: id }))).toEqual([null, 1]);
    expect(rewardsOf(await exported({ session_id: id, discount_mode: 'linear' }))).toEqual([1, 1]);
  });
});

describe('taking a session', () => {
  it('waits for the end, then gives the same answer every time, and nothing of it is rated any more', async () => {
    const { key, id } = await test.startSession();
    const [answer = ''] = await converse(key, 1);
    let isAnswered = false;
    const taking = exported({ session_id: id, mode: 'take' }).then((body) => {
      isAnswered = true;
      return body;
    });
    await rate(key, 0.5);
    expect(isAnswered).toBe(false);
    await end(key);
    const body = await taking;
    expect(rewardsOf(body)).toEqual([0.5]);
    const late = await test.call('POST', '/rl/set_reward', {
      key: ADMIN_KEY,
      body: { reward: 1, interaction_id: answer },
    });
    expect([late.status, await detailOf(late)]).toEqual([409, expect.stringMatching(/trainer outside took/)]);
    expect(await exported({ session_id: id, mode: 'take' })).toEqual(body);
    expect(await exported({ session_id: id, mode: 'peek' })).toEqual(body);
    const receipts = (await (await test.call('GET', '/rl/receipts', { key: ADMIN_KEY })).json()) as { counts: unknown };
    expect(receipts.counts).toMatchObject({ waiting: 0, dropped: [{ count: 1 }] });
  });

  it('ends with the caller, having taken nothing', async () => {
    const { key, id } = await test.startSession();
    await converse(key, 1);
    await rate(key, 1);
    const caller = new AbortController();
    const taking = ask({ session_id: id, mode: 'take' }, ADMIN_KEY, { signal: caller.signal });
    caller.abort();
    const outcome = await Promise.resolve(taking).then(
      (reply) => reply.status,
      () => 'aborted',
    );
    expect([408, 'aborted']).toContain(outcome);
    await end(key);
    const status = await test.call('GET', '/rl/status', { key: ADMIN_KEY });
    expect(await status.json()).toMatchObject({ batch: { filled: 1 } });
  });

  it('ends with the connection of the caller', async () => {
    const { url } = await test.gateway.listen();
    const { key, id } = await test.startSession();
    await converse(key, 1);
    await rate(key, 1);
    const caller = new AbortController();
    const taking = fetch(`${url}/export_trajectories`, {
      method: 'POST',
      signal: caller.signal,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: id, mode: 'take' }),
    });
    const filled = async () =>
      ((await (await test.call('GET', '/rl/status', { key: ADMIN_KEY })).json()) as { batch: { filled: number } }).batch
        .filled;
    // the request is with the gateway before its connection is cut, and the session ends after that
    await fetch(`${url}/health`);
    caller.abort();
    await expect(taking).rejects.toThrow();
    await fetch(`${url}/health`);
    await end(key);
    await vi.waitFor(async () => expect(await filled()).toBe(1), { timeout: 10_000 });
  });

  it('ends with the gateway', async () => {
    const { id } = await test.startSession();
    const taking = ask({ session_id: id, mode: 'take' });
    await test.gateway.close();
    expect((await taking).status).toBe(503);
  });

  it('ends with the time a taker may wait', async () => {
    const gateway = createTestGateway({ config: { waitTimeoutMs: 1 } });
    const { id } = await gateway.startSession();
    const reply = await gateway.call('POST', '/export_trajectories', {
      key: ADMIN_KEY,
      body: { session_id: id, mode: 'take' },
    });
    expect(reply.status).toBe(408);
    await gateway.close();
  });
});
