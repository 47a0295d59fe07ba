import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Receipts } from '../src/shared/wire/rl';
import { batchName, manifestSchema } from '../src/shared/wire/trainer';
import { type App, invoke, launchApp, removeFolder } from './app';
import { ask, rateNewest } from './rating';

const dataDir = mkdtempSync(join(tmpdir(), 'plaudit-e2e-kill-'));
const apps: App[] = [];
const launch = async (): Promise<App> => {
  const app = await launchApp({ dataDir });
  apps.push(app);
  return app;
};
test.afterAll(async () => {
  for (const app of apps) await app.dispose();
  await removeFolder(dataDir);
});

test('kill -9 between a rating and its batch: the rating is there after the restart and is trained once', async () => {
  test.setTimeout(300_000);
  const first = await launch();
  await first.untilServing(0);
  await invoke(first.page, 'settings-write', { batchSize: 4 });
  await first.close();

  const second = await launch();
  await second.untilServing(0);
  for (let k = 0; k < 3; k += 1) {
    await ask(second.page, 'Hello!');
    await rateNewest(second.page, k === 0 ? 1 : 5);
  }
  await second.page.getByTestId('composer').fill('not sent yet');
  await expect.poll(() => draftIsSaved()).toBe(true);
  await second.kill();

  const third = await launch();
  await third.untilServing(0);
  await expect(third.page.getByTestId('status-batch')).toContainText('3/4');
  await expect(third.page.getByTestId('composer')).toHaveValue('not sent yet');
  await ask(third.page, 'What is 1 + 1?');
  await rateNewest(third.page, 3);
  await third.untilServing(1);

  const receipts = (await third.call('GET', '/rl/receipts')).body as Receipts; // checked by the gateway's own tests
  expect(receipts.counts).toEqual({ waiting: 0, in_batch: [], trained: [{ version: 1, count: 4 }], dropped: [] });
  const spool = join(dataDir, 'runs', 'demo', 'trial-0', 'spool');
  expect(readdirSync(spool).filter((name) => !name.endsWith('.tmp'))).toEqual([batchName(1)]);
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(spool, batchName(1), 'manifest.json'), 'utf8')));
  expect(new Set(manifest.sessions.map(({ id }) => id)).size).toBe(4);
  expect(manifest.sessions.map(({ reward }) => reward).sort()).toEqual([-1, 0, 1, 1].sort());
});

function draftIsSaved(): boolean {
  return readdirSync(dataDir)
    .filter((name) => name.startsWith('drafts') && existsSync(join(dataDir, name)))
    .some((name) => readFileSync(join(dataDir, name), 'utf8').includes('not sent yet'));
}
