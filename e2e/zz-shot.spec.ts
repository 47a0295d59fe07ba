import { test } from '@playwright/test';
import { launchApp } from './app';
test('shot', async () => {
  const app = await launchApp();
  await app.untilServing();
  await app.page.waitForTimeout(1500);
  await app.page.screenshot({ path: '/tmp/shot-rate.png' });
  for (const key of ['2','3','4','5']) { await app.page.keyboard.press(`Control+${key}`); await app.page.waitForTimeout(1200); await app.page.screenshot({ path: `/tmp/shot-${key}.png` }); }
  console.log(app.consoleProblems);
  const t = Date.now(); await app.close(); console.log('closed in', Date.now() - t);
  await app.dispose();
});
