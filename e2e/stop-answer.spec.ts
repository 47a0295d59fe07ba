import { expect, test } from '@playwright/test';
import type { Receipts } from '../src/shared/wire/rl';
import { type App, launchApp } from './app';
import { untilWhole } from './rating';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('Esc at any moment of an answer loses no score, types no digit and doubles no message', async () => {
  test.setTimeout(240_000);
  const { page } = app;
  await app.untilServing(0);
  const composer = page.getByTestId('composer');
  let scored = 0;
  for (const delay of [0, 20, 60, 150, 400, 1500]) {
    const answers = await page.getByTestId('answer').count();
    await composer.fill('Hello!');
    await composer.press('Enter');
    await page.waitForTimeout(delay);
    await page.keyboard.press('Escape');
    await untilWhole(page);
    await expect(composer).not.toBeFocused();
    // The gateway is asked what it has: then there is an answer, or the message is back and nothing of it is left above.
    const standing = async (): Promise<string> =>
      `${(await page.getByTestId('answer').count()) - answers} answers, typed: ${await composer.inputValue()}`;
    await expect.poll(standing, { timeout: 20_000 }).toMatch(/^(1 answers, typed: |0 answers, typed: Hello!)$/);
    if ((await composer.inputValue()) === '') {
      await page.keyboard.press('2');
      await expect(page.getByTestId('answer').last().getByTestId('rating-mark')).toContainText('2');
      scored += 1;
    } else {
      await page.keyboard.press('2');
      await expect(composer).toHaveValue('Hello!');
    }
  }
  expect(scored).toBeGreaterThan(0);
  const receipts = (await app.call('GET', '/rl/receipts')).body as Receipts; // checked by the gateway's own tests
  expect(receipts.ratings).toHaveLength(scored);
  expect(receipts.ratings.every(({ reward }) => reward === -0.5)).toBe(true);
  expect(app.consoleProblems).toEqual([]);
});
