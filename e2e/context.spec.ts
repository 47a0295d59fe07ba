import { expect, test } from '@playwright/test';
import { launchApp } from './app';
import { untilWhole } from './rating';

test('a conversation that nobody rates fills the context without an error, and what is typed goes on elsewhere', async () => {
  const app = await launchApp();
  const { page } = app;
  try {
    await app.untilServing(0);
    const composer = page.getByTestId('composer');
    const hint = page.getByTestId('context-hint');
    const full = page.locator('[data-testid="context-hint"][data-full]');
    const question = 'What is the opposite of hot?';
    let sent = 0;
    for (; sent < 40; sent += 1) {
      await composer.fill(question);
      await composer.press('Enter');
      // Either it is asked, or it is known not to fit and stays where it was typed.
      await expect.poll(async () => (await composer.inputValue()) === '' || (await full.count()) > 0).toBe(true);
      if ((await composer.inputValue()) !== '') break;
      await expect(page.getByTestId('prompt')).toHaveCount(sent + 1);
      await untilWhole(page);
      await expect(page.getByTestId('context-left')).toBeVisible();
    }
    expect(sent).toBeGreaterThan(4);
    expect(sent).toBeLessThan(40);
    await expect(hint).toBeVisible();
    await expect(page.getByTestId('answer-problem')).toHaveCount(0);
    await expect(page.getByTestId('send')).toBeDisabled();

    // In the smallest window the sentence gives way, not the way out.
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(900, 600));
    await expect.poll(() => page.evaluate(() => innerWidth)).toBeLessThan(901);
    const cut = await page
      .getByTestId('context-new')
      .evaluate((button) =>
        [...button.querySelectorAll('span'), button].some(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
        ),
      );
    expect(cut).toBe(false);

    await page.getByTestId('context-new').click();
    await expect(page.getByTestId('empty-chat')).toBeVisible();
    await expect(composer).toHaveValue(question);
    await composer.press('Enter');
    await untilWhole(page);
    await expect(page.getByTestId('answer')).toHaveCount(1);
    expect(app.consoleProblems).toEqual([]);
  } finally {
    await app.dispose();
  }
});
