import { expect, test } from '@playwright/test';
import type { SessionView } from '../src/shared/wire/rl';
import { type App, invoke, launchApp } from './app';
import { ask, rateNewest, untilWhole } from './rating';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('the engine is killed: the screen says so, it comes back, and the conversation goes on', async () => {
  const { page } = app;
  await app.untilServing(0);
  await invoke(page, 'settings-write', { endSessionOnRating: false });
  await ask(page, 'Hello!');
  await rateNewest(page, 4);

  const engine = await app.process('engine');
  process.kill(engine.pid ?? 0, 'SIGKILL');
  await expect(page.getByTestId('status-served')).toContainText(/restart|starting|waiting|failed/i);
  // Sent while nothing answers: it waits, and is answered when the engine is back.
  await page.getByTestId('composer').fill('What is 3 + 4?');
  await page.getByTestId('composer').press('Enter');

  await app.untilServing(0);
  await expect(page.getByTestId('answer')).toHaveCount(2, { timeout: 90_000 });
  await untilWhole(page);
  await expect(page.getByTestId('answer').last().getByTestId('answer-text')).not.toBeEmpty();
  const after = await app.process('engine');
  expect(after.pid).not.toBe(engine.pid);
  expect(after.restarts).toBeGreaterThan(0);
  await expect(page.getByTestId('status-served')).toContainText('v0');

  const { sessions } = (await app.call('GET', '/rl/sessions')).body as { sessions: SessionView[] }; // checked by the gateway's own tests
  expect(sessions.map((session) => session.interaction_count)).toEqual([2]);
});
