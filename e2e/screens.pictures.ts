import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { type App, invoke, launchApp } from './app';
import { ask, rateNewest } from './rating';

// Where the pictures go: the README's by default, every variant when a folder is given.
const folder = process.env.PLAUDIT_PICTURES ?? 'docs/images';
const isEverything = process.env.PLAUDIT_PICTURES !== undefined;
const SCREENS = ['rate', 'trajectories', 'groups', 'runs', 'settings'] as const;
const NAMES = { rate: 'rate', trajectories: 'trajectories', groups: 'groups', runs: 'training', settings: 'settings' };

test('draws every screen of a real run', async () => {
  mkdirSync(folder, { recursive: true });
  const app = await launchApp();
  try {
    await app.untilServing(0);
    await invoke(app.page, 'settings-write', { language: 'en', theme: 'light' });
    const prompts = ['What is 3 + 4?', 'Hello!', 'What color is grass?', 'Is ice cold?', 'Do you like rain?'];
    for (let k = 0; k < 20; k += 1) {
      await ask(app.page, prompts[k % prompts.length] ?? 'Hello!');
      await rateNewest(app.page, [5, 2, 4, 1, 3][k % 5] as 1 | 2 | 3 | 4 | 5); // five entries
    }
    await app.untilServing(1);
    await ask(app.page, 'What color is snow?');
    await app.page.getByTestId('answer').last().click();
    await app.page.keyboard.press('5');
    await drawAll(app, 'light', 'en');
    if (!isEverything) return;
    await drawAll(app, 'dark', 'zh');
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(900, 640));
    await drawAll(app, 'light', 'en', '-narrow');
    await app.page.getByTestId('rail-rate').click();
    await app.page.getByTestId('mode-side-by-side').click();
    await app.page.getByTestId('composer').fill('What is 2 + 6?');
    await app.page.getByTestId('composer').press('Enter');
    await app.page.waitForTimeout(4000);
    await app.page.screenshot({ path: join(folder, 'side-by-side-narrow.png') });
  } finally {
    await app.dispose();
  }
});

async function drawAll(app: App, theme: 'light' | 'dark', language: 'en' | 'zh', suffix = ''): Promise<void> {
  const { page } = app;
  await invoke(page, 'settings-write', { theme, language });
  for (const screen of SCREENS) {
    await page.getByTestId(`rail-${screen}`).click();
    await page.getByTestId(`screen-${screen}`).waitFor();
    if (screen === 'trajectories') {
      await page.getByTestId('trajectory-row').nth(2).click();
      await page.getByTestId('detail-completion').waitFor();
    }
    // The pointer left on the rail would show its tooltip.
    await page.mouse.move(420, 8);
    // Charts draw themselves in; a picture of the middle of it says nothing.
    await page.waitForTimeout(1200);
    const variant = isEverything ? `-${theme}-${language}${suffix}` : '';
    await page.screenshot({ path: join(folder, `${NAMES[screen]}${variant}.png`) });
  }
}
