import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../platform/clock';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

const CONTENT = 'a question that is long enough to be worth keeping';
let now = Date.UTC(2026, 0, 1);
let ticks: (() => void)[] = [];
let test: TestGateway;

const clock: Clock = {
  now: () => now,
  sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
  every: (_ms, callback) => {
    ticks.push(callback);
    return () => undefined;
  },
};

beforeEach(() => {
  ticks = [];
  test = createTestGateway({ clock, config: { sessionTimeoutMs: 60_000 } });
});
afterEach(() => test.close());

/** Prompt tokens that the gateway would take over for the session's next turn. Asking makes it keep them. */
function keptTokens(conversation: string): number {
  const options = { tools: [], templateValues: {}, limitTokens: 1000, conversation };
  const rendered = test.tokenizer.renderPrompt([{ role: 'user', content: CONTENT }], options);
  return rendered.ok ? rendered.value.cachedTokens : Number.NaN;
}

interface Started {
  readonly id: string;
  readonly key: string;
}

const ENDS: Record<string, (session: Started) => unknown> = {
  'its key ends it': ({ key }) => test.call('POST', '/rl/end_session', { key, body: {} }),
  'the admin ends it': ({ id }) => test.call('POST', `/rl/sessions/${id}/end`, { key: ADMIN_KEY, body: {} }),
  'the admin aborts it': ({ id }) => test.call('POST', `/rl/sessions/${id}/abort`, { key: ADMIN_KEY, body: {} }),
  'a fixed key begins anew': ({ key }) => test.startSession({ api_key: key }),
  'nobody uses it': async ({ id }) => {
    now += 61_000;
    for (const tick of ticks) tick();
    const shown = await test.call('GET', `/rl/sessions/${id}`, { key: ADMIN_KEY });
    expect(await shown.json()).toMatchObject({ state: 'ended' });
  },
};

describe("a session's prompts", () => {
  it('are kept while it is open', async () => {
    const session = await test.startSession();
    await test.chat(session.key, CONTENT);
    expect(keptTokens(session.id)).toBeGreaterThan(20);
  });

  it.each(Object.keys(ENDS))('are forgotten when %s', async (how) => {
    const ended = await test.startSession();
    await test.chat(ended.key, CONTENT);
    await ENDS[how]?.(ended);
    expect(keptTokens(ended.id)).toBe(0);
  });

  it('are kept when another session ends', async () => {
    const [open, ended] = [await test.startSession(), await test.startSession()];
    for (const { key } of [open, ended]) await test.chat(key, CONTENT);
    await test.call('POST', '/rl/end_session', { key: ended.key, body: {} });
    expect(keptTokens(open.id)).toBeGreaterThan(20);
  });
});
