import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { invoke, launchApp } from './app';

// Playwright turns Chromium's sandbox off unless asked, and root cannot have one.
test.skip(process.platform !== 'linux' || process.getuid?.() === 0, 'needs an ordinary user on Linux');

test('window and IPC work in the real sandbox', async () => {
  const app = await launchApp({ sandbox: true });
  try {
    await expect.poll(() => app.page.locator('#root > *').count()).toBeGreaterThan(0);
    const pid = await app.electron.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0,
    );
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
    expect(await invoke<{ dataDir: string }>(app.page, 'app-info')).toMatchObject({ dataDir: app.dataDir });
    await app.untilServing();
  } finally {
    await app.dispose();
  }
});
