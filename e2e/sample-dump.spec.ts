import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type App, launchApp } from './app';

let app: App;
const folder = mkdtempSync(join(tmpdir(), 'plaudit-e2e-dump-'));
test.afterEach(() => app.dispose());
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the sample dump opens in one click: rows, a bad line with its error, runs of two versions', async () => {
  app = await launchApp();
  const { page } = app;
  // What is said of a start stands above everything, and comes and goes.
  await app.untilServing(0);
  await page.getByTestId('rail-trajectories').click();
  const sample = page.getByTestId('open-sample');
  await expect(page.getByTestId('trajectory-source').first()).toBeVisible();
  const before = await sample.boundingBox();
  await sample.click();
  await expect(page.getByTestId('trajectory-source').last()).toContainText('306 rows');
  // The button is still under the pointer that clicked it.
  expect(await sample.boundingBox()).toEqual(before);
  await page.getByTestId('trajectory-row').first().click();
  await expect(page.getByTestId('detail-completion')).not.toBeEmpty();
  const mixed = (await app.call('GET', '/rl/trajectory_files/d1/records?offset=0&limit=500&summary=1')).body as {
    rows: { index: number; error: string | null; record: { head_version: number; tail_version: number } | null }[];
  }; // checked by the gateway's own tests
  expect(mixed.rows.filter((row) => row.error !== null)).toHaveLength(1);
  expect(mixed.rows.some((row) => row.record !== null && row.record.head_version < row.record.tail_version)).toBe(true);
  await page.getByTestId('rail-groups').click();
  await expect(page.getByTestId('group-chart')).toBeVisible();
  await expect(page.getByTestId('group-counts')).toContainText('306 rows');
  await page.getByTestId('groups-bad-lines').click();
  const bad = page.getByTestId('bad-line');
  await expect(bad).toHaveCount(1);
  await expect(bad).toContainText(/\.jsonl, line \d+/);
  await expect(page.locator('[data-testid="trajectory-row"][aria-selected="true"]')).toContainText('Bad line');
  await page.getByTestId('rail-groups').click();
  await page.getByTestId('groups-back-to-live').click();
  await expect(page.getByTestId('groups-empty')).toBeVisible();
});

test('the table of a long dump does not scroll sideways in the window’s first size', async () => {
  app = await launchApp();
  const { page } = app;
  await page.getByTestId('rail-trajectories').click();
  await page.getByTestId('open-sample').first().click();
  const first = page.getByTestId('trajectory-row').first();
  await expect(first).toBeVisible();
  const [down, sideways] = await first.evaluate((row) => {
    let frame: Element | null = row;
    while (frame !== null && getComputedStyle(frame).overflowY !== 'auto') frame = frame.parentElement;
    return frame === null ? [] : [frame.scrollHeight - frame.clientHeight, frame.scrollWidth - frame.clientWidth];
  });
  expect(down).toBeGreaterThan(0);
  expect(sideways).toBe(0);
  // What tells rows apart has more room than any other column.
  const widths = await page
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.map((head) => [head.textContent, head.getBoundingClientRect().width] as const));
  const [widest] = [...widths].sort(([, a], [, b]) => b - a);
  expect(widest?.[0]).toBe('Answer');
  expect(widest?.[1]).toBeGreaterThan(140);
});

test('a segment’s text has the width of the pane in the window’s first size, and no scroll bar of its own', async () => {
  app = await launchApp();
  const { page } = app;
  await page.getByTestId('rail-trajectories').click();
  await page.getByTestId('open-sample').first().click();
  await page.getByTestId('trajectory-row').first().click();
  await page.getByTestId('detail-tabs').getByText('Segments').click();
  await expect(page.getByTestId('segment-row')).toHaveCount(2);
  const pane = page.getByTestId('trajectory-detail');
  const room = await pane.evaluate((element) => {
    const { paddingLeft, paddingRight } = getComputedStyle(element);
    return element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  });
  expect(await pane.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  const texts = await pane
    .locator('[data-testid="segment-row"] pre')
    .evaluateAll((elements) =>
      elements.map((text) => [text.clientWidth, text.scrollHeight - text.clientHeight] as const),
    );
  expect(texts).toHaveLength(2);
  for (const [width, hidden] of texts) {
    expect(width).toBeGreaterThan(room - 2);
    expect(hidden).toBe(0);
  }
});

test('a file that is no dump is refused with a sentence, and nothing else changes', async () => {
  const path = join(folder, 'notes.jsonl');
  writeFileSync(path, '{"hello": "world"}\n');
  app = await launchApp({ openPath: path });
  await app.page.getByTestId('rail-trajectories').click();
  await app.page.getByTestId('open-file').click();
  await expect(app.page.getByText(/is not a rollout dump/)).toBeVisible();
  await expect(app.page.getByTestId('trajectory-source')).toHaveCount(1);
});
