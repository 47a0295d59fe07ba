import { expect, test } from '@playwright/test';
import type { InteractionView } from '../src/shared/wire/rl';
import { type App, invoke, launchApp } from './app';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('a stream that runs while the version changes ends whole and carries two versions', async () => {
  test.setTimeout(300_000);
  const { page } = app;
  await app.untilServing(0);
  await invoke(page, 'settings-write', { batchSize: 16 });

  // Long answers: at a temperature near uniform the end token is one in hundreds. Several at once, one after the other, so that the update
  // cannot fall into a gap.
  let isOver = false;
  const streams = [0, 1, 2, 3].map(async (lane) => {
    const ids: string[] = [];
    while (!isOver) ids.push(await stream(lane));
    return ids;
  });
  for (let k = 0; k < 16; k += 1) {
    const session = await start(`rated-${k}`);
    const answer = (
      await app.call(
        'POST',
        '/chat/completions',
        { model: 'd', messages: [{ role: 'user', content: 'Hello!' }] },
        session,
      )
    ).body as { id: string }; // the gateway's own tests check the shape
    await app.call('POST', '/rl/set_reward', { interaction_id: answer.id, reward: k % 2 }, session);
    await app.call('POST', '/rl/end_session', {}, session);
  }
  await app.untilServing(1);
  isOver = true;
  const ids = (await Promise.all(streams)).flat();

  const views = await Promise.all(
    ids.map(async (id) => (await app.call('GET', `/rl/interactions/${id}`)).body as InteractionView),
  );
  expect(views.every((view) => view.state === 'finished' && view.finish_reason !== 'abort')).toBe(true);
  const mixed = views.filter((view) => view.version_rle.length > 1);
  expect(mixed.length).toBeGreaterThan(0);
  for (const view of mixed) {
    expect(view.version_rle.map(([version]) => version)).toEqual([0, 1]);
    expect(view.version_rle.reduce((sum, [, length]) => sum + length, 0)).toBe(view.completion_tokens);
    expect(view.tokens?.map((token) => token.version)).toEqual(view.version_rle.flatMap(([v, n]) => Array(n).fill(v)));
    expect(view.tokens?.every((token) => Number.isFinite(token.logprob) && token.logprob <= 0)).toBe(true);
  }
});

async function start(taskId: string): Promise<string> {
  const reply = await app.call('POST', '/rl/start_session', { task_id: taskId, source: 'human', turn_discount: 0 });
  return (reply.body as { api_key: string }).api_key; // the gateway's own tests check the shape
}

/** One streamed answer read to its end; fails when the stream does not end with [DONE]. */
async function stream(lane: number): Promise<string> {
  const key = await start(`lane-${lane}`);
  const { url } = await app.gateway();
  const body = {
    model: 'd',
    stream: true,
    temperature: 6,
    max_tokens: 200,
    messages: [{ role: 'user', content: 'Tell me a long story.' }],
  };
  const reply = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  return /"id":"(chatcmpl-[0-9a-f]+)"/.exec(text)?.[1] ?? '';
}
