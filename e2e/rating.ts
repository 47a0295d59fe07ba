import { expect, type Page } from '@playwright/test';

/** Types a message, sends it, and waits until its answer is whole. */
export async function ask(page: Page, message: string): Promise<void> {
  const before = await page.getByTestId('answer').count();
  await page.getByTestId('composer').fill(message);
  await page.getByTestId('composer').press('Enter');
  await expect(page.getByTestId('answer')).toHaveCount(before + 1, { timeout: 90_000 });
  await untilWhole(page);
}

/** The send button is back when nothing is being answered any more. */
export async function untilWhole(page: Page): Promise<void> {
  await expect(page.getByTestId('stop')).toHaveCount(0, { timeout: 90_000 });
  await expect(page.getByTestId('answer-waiting')).toHaveCount(0, { timeout: 90_000 });
}

/** Scores the outlined answer by key; the tick appears only after the gateway has the rating on disk. */
export async function rateNewest(page: Page, stars: 1 | 2 | 3 | 4 | 5): Promise<void> {
  const answer = page.getByTestId('answer').last();
  await answer.click();
  await page.keyboard.press(String(stars));
  await expect(answer.getByTestId('rating-mark')).toContainText(String(stars));
}
