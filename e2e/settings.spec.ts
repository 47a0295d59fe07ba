import { expect, test } from '@playwright/test';
import { type App, invoke, launchApp } from './app';

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('one setting changed in the window leaves the others alone, also after a restart of the page', async () => {
  const { page } = app;
  await invoke(page, 'settings-write', { temperature: 0.7, raterId: 'somebody' });
  await page.getByTestId('rail-settings').click();
  await page.getByTestId('settings-page').getByText('中文').click();
  await expect(page.getByTestId('rail-rate')).toContainText('评审');
  await page.getByTestId('settings-page').getByText('深色').click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.getByTestId('rail-rate')).toContainText('评审');
  await page.reload();
  await expect(page.getByTestId('rail-rate')).toContainText('评审');
  expect(await invoke(page, 'settings-read')).toMatchObject({
    language: 'zh',
    theme: 'dark',
    temperature: 0.7,
    raterId: 'somebody',
  });
});
