import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type App, invoke, launchApp } from './app';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('the window is shut to Node, to other pages and to eval, and opens the studio', async () => {
  const { page } = app;
  await expect.poll(() => page.locator('#root > *').count()).toBeGreaterThan(0);
  expect(page.url()).toMatch(/^app:\/\/plaudit\/index\.html/);
  expect(await page.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe('undefined');
  expect(await page.evaluate(() => typeof (globalThis as { process?: unknown }).process)).toBe('undefined');
  // The function is made inside of the page, where the policy holds, not by the test's own evaluation.
  const evalOutcome = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.inlineScriptRan = true';
    document.head.append(script);
    return (window as { inlineScriptRan?: boolean }).inlineScriptRan ?? false;
  });
  expect(evalOutcome).toBe(false);
  expect(await page.evaluate(() => window.open('https://example.com'))).toBeNull();
  await page.evaluate(() => {
    window.location.href = 'https://example.com/';
  });
  await expect.poll(() => invoke<{ version: string }>(page, 'app-info').then((info) => info.version)).toBe('0.1.0');
  expect(page.url()).toMatch(/^app:\/\/plaudit/);
  await expect(invoke(page, 'no-such-channel')).rejects.toThrow('There is no channel');
  await expect(invoke(page, 'settings-write', { batchSize: 1 })).rejects.toThrow(/settings-write/);
});

test('engine and trainer become ready, and closing the window leaves nothing running', async () => {
  await app.untilServing();
  const pids = await Promise.all([app.process('engine'), app.process('trainer')]);
  await app.close();
  for (const { pid } of pids) expect(isAlive(pid ?? 0)).toBe(false);
  expect(existsSync(join(app.dataDir, 'studio.lock'))).toBe(false);
});

test('the children follow a host that was killed', async () => {
  await app.untilServing();
  const pids = await Promise.all([app.process('engine'), app.process('trainer')]);
  await app.kill();
  for (const { pid } of pids) await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
});

test('a page that crashes is reloaded once, then told about', async () => {
  const { page, electron } = app;
  await expect.poll(() => page.locator('#root > *').count()).toBeGreaterThan(0);
  // Asked of the host: the test's own line into the page is cut by the crash.
  const crash = () =>
    electron.evaluate(
      ({ BrowserWindow }) =>
        new Promise<string>((resolve) => {
          const contents = BrowserWindow.getAllWindows()[0]?.webContents;
          contents?.once('did-finish-load', () => resolve(contents.getURL()));
          contents?.forcefullyCrashRenderer();
        }),
    );
  expect(await crash()).toMatch(/^app:\/\/plaudit/);
  expect(await crash()).toMatch(/^data:text\/html/);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
