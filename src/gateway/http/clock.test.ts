import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../platform/clock';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

const HOUR = 3_600_000;
let now = 10 * HOUR;
const clock = { ...systemClock, now: () => now };
const gateways: TestGateway[] = [];
const create = (dataDir?: string): TestGateway => {
  const gateway = createTestGateway({ clock, dataDir, config: { batchSize: 2 } });
  gateways.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

const rate = (test: TestGateway, key: string, reward: number) =>
  test.call('POST', '/rl/set_reward', { key, body: { reward } });

describe('a clock that goes backwards', () => {
  it('changes neither which session a key opens, nor what was rated last, nor who is idle', async () => {
    now = 10 * HOUR;
    const test = create();
    const { key, id: first } = await test.startSession();
    await test.chat(key, 'before');
    await rate(test, key, 1);
    now -= 2 * HOUR;
    const refreshed = await test.startSession({ api_key: key });
    expect(refreshed.key).toBe(key);
    expect(refreshed.id).not.toBe(first);
    const { id } = await test.chat(key, 'after');
    await rate(test, key, 0.5);
    expect((await (await rate(test, key, 0.25)).json()) as object).toMatchObject({
      interaction_id: id,
      outcome: 'changed',
      previous_reward: 0.5,
    });
    const again = await test.startSession({ api_key: key });
    expect(again.key).toBe(key);
    const shown = await test.call('GET', `/rl/sessions/${refreshed.id}`, { key: ADMIN_KEY });
    expect(await shown.json()).toMatchObject({ state: 'ended', interactions: [{ reward: 0.25 }] });
  });

  it('survives a restart in the past', async () => {
    now = 10 * HOUR;
    const first = create();
    const { key } = await first.startSession();
    await first.chat(key, 'one');
    await first.gateway.close();
    now -= 5 * HOUR;
    const second = create(first.dataDir);
    const { id } = await second.chat(key, 'two');
    expect(await (await rate(second, key, 1)).json()).toMatchObject({ interaction_id: id, outcome: 'set' });
    expect((await second.startSession({ api_key: key })).key).toBe(key);
    const receipts = await second.call('GET', '/rl/receipts', { key: ADMIN_KEY });
    expect(await receipts.json()).toMatchObject({ ratings: [{ interaction_id: id, reward: 1, state: 'waiting' }] });
  });
});
