import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp } from './app';
import { untilWhole } from './rating';

test('after a restart the conversation is at its end, with an answer outlined', async () => {
  test.setTimeout(240_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'plaudit-reopen-'));
  const first = await launchApp({ dataDir });
  try {
    await first.untilServing(0);
    await first.page.getByTestId('mode-side-by-side').click();
    for (let round = 1; round <= 6; round += 1) {
      await first.page.getByTestId('composer').fill('Hello!');
      await first.page.getByTestId('composer').press('Enter');
      await expect(first.page.getByTestId('answer')).toHaveCount(2 * round);
      await untilWhole(first.page);
    }
    await first.close();
  } finally {
    await first.dispose();
  }
  const second = await launchApp({ dataDir });
  try {
    const answers = second.page.getByTestId('answer');
    await expect(answers).toHaveCount(12, { timeout: 60_000 });
    await expect(answers.nth(10)).toHaveAttribute('data-selected', 'true');
    const below = () =>
      second.page
        .getByTestId('transcript')
        .evaluate(({ parentElement: scroller }) =>
          scroller === null ? Number.NaN : scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight,
        );
    await expect.poll(below).toBeLessThan(2);
    // The line about the model is read whole at the size the window opens with.
    const model = second.page.getByTestId('model');
    await expect(model).not.toBeEmpty();
    expect(await model.evaluate((line) => line.scrollHeight <= line.clientHeight)).toBe(true);
    expect(second.consoleProblems).toEqual([]);
  } finally {
    await second.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
