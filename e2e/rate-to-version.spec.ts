import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import type { Receipts } from '../src/shared/wire/rl';
import { trajectoryRecordSchema } from '../src/shared/wire/trajectory-record';
import { type App, launchApp } from './app';
import { ask, rateNewest } from './rating';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('sixteen ratings through the window become version 1, with receipts and a dump that says so', async () => {
  test.setTimeout(300_000);
  const { page } = app;
  await app.untilServing(0);
  await expect(page.getByTestId('status-served')).toContainText('v0');

  const prompts = ['What is 3 + 4?', 'Hello!', 'What color is grass?', 'Is ice cold?'];
  for (let k = 0; k < 16; k += 1) {
    await ask(page, prompts[k % prompts.length] ?? 'Hello!');
    await rateNewest(page, k % 2 === 0 ? 5 : 2);
    if (k === 3) await expect(page.getByTestId('status-batch')).toContainText('4/16');
  }

  const first = page.getByTestId('answer').first().getByTestId('answer-version');
  await expect(first).toHaveText('v0');
  const colorOfV0 = await swatchOf(first);
  await app.untilServing(1);
  await expect(page.getByTestId('status-served')).toContainText('v1');
  await expect(page.getByTestId('receipts-trained')).toContainText('v1');
  await page.getByTestId('receipts-trained').click();
  await expect(page.getByTestId('receipt-row').first()).toContainText(/trained in v1/i);
  const receipts = (await app.call('GET', '/rl/receipts')).body as Receipts; // checked by the gateway's own tests
  expect(receipts.counts).toEqual({ waiting: 0, in_batch: [], trained: [{ version: 1, count: 16 }], dropped: [] });

  // The next answer is sampled by the new weights, and says so.
  await page.keyboard.press('Escape');
  await ask(page, 'What is 2 + 2?');
  const last = page.getByTestId('answer').last().getByTestId('answer-version');
  await expect(last).toContainText('v1');
  // A newer version takes a colour of its own and leaves the older one's, on every screen.
  expect(await swatchOf(last)).not.toBe(colorOfV0);
  expect(await swatchOf(first)).toBe(colorOfV0);

  const rollout = join(app.dataDir, 'dumps', 'demo', 'trial-0', 'rollout', '0');
  await expect.poll(() => (existsSync(rollout) ? linesOf(rollout).length : 0)).toBe(16);
  for (const line of linesOf(rollout)) {
    const record = trajectoryRecordSchema.parse(JSON.parse(line));
    const outputTokens = record.seqlen - record.prompt_len;
    expect(record.version_rle).toEqual([[0, outputTokens]]);
    expect(record.output_token_texts?.join('')).toBe(record.completion);
    expect([1, -0.5]).toContain(record.reward);
  }

  await page.getByTestId('rail-trajectories').click();
  const row = page.getByTestId('trajectory-row').first();
  await expect(row).toBeVisible();
  await row.click();
  const detail = page.getByTestId('trajectory-detail');
  await expect(detail.getByTestId('detail-completion')).not.toBeEmpty();
  await expect(detail.getByTestId('version-run').first()).toContainText('0');

  expect(await swatchOf(page.getByTestId('version-facet').filter({ hasText: 'v0' }))).toBe(colorOfV0);
  expect(await detail.getByTestId('version-run').first().evaluate(backgroundOf)).toBe(colorOfV0);
  await page.getByTestId('rail-runs').click();
  expect(await swatchOf(page.getByTestId('versions-row').filter({ hasText: 'v0' }).getByRole('button'))).toBe(
    colorOfV0,
  );

  await page.getByTestId('rail-groups').click();
  await expect(page.getByTestId('group-counts')).toContainText('16');
  expect(app.consoleProblems).toEqual([]);
});

const backgroundOf = (element: Element) => getComputedStyle(element).backgroundColor;

/** The colour of the small square before a version's number. */
const swatchOf = (version: Locator): Promise<string> => version.locator('span').first().evaluate(backgroundOf);

function linesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
}
