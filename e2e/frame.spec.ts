import { expect, test } from '@playwright/test';
import { type App, invoke, launchApp } from './app';

const SCREENS = ['rate', 'trajectories', 'groups', 'runs', 'settings'] as const;

let app: App;
test.beforeEach(async () => {
  app = await launchApp();
});
test.afterEach(() => app.dispose());

test('the app opens ready to write, and keeps what is typed from the first key on', async () => {
  const { page } = app;
  const composer = page.getByTestId('composer');
  await expect(composer).toBeFocused();
  await expect(composer).toBeEditable();
  await page.keyboard.type('Is ice cold? 4');
  await expect(composer).toHaveValue('Is ice cold? 4');
  await page.keyboard.press('ControlOrMeta+5');
  const field = page.getByTestId('screen-settings').getByRole('textbox').first();
  await field.click();
  await expect(field).toBeFocused();
  await page.keyboard.press('ControlOrMeta+1');
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue('Is ice cold? 4');
});

test('the frame stands still: rail and status bar have one size on every screen, in both languages', async () => {
  const { page } = app;
  for (const language of ['en', 'zh'] as const) {
    await invoke(page, 'settings-write', { language });
    await expect(page.getByTestId('rail-settings')).toHaveText(language === 'en' ? 'Settings' : '设置');
    const sizes: unknown[] = [];
    for (const screen of SCREENS) {
      await page.getByTestId(`rail-${screen}`).click();
      await expect(page.getByTestId(`screen-${screen}`)).toBeVisible();
      sizes.push(
        await page.evaluate(() => {
          const rail = document.querySelector('nav:has([data-testid="rail-rate"])')?.getBoundingClientRect();
          const main = document.querySelector('main')?.getBoundingClientRect();
          const words = [...document.querySelectorAll('[data-testid^="rail-"]')].map(
            (button) => button.getBoundingClientRect().width,
          );
          return { rail: rail?.width, left: main?.left, width: main?.width, height: rail?.height, words };
        }),
      );
    }
    expect(sizes).toEqual(SCREENS.map(() => sizes[0]));
  }
});

test('a hint of the rail is gone once its button was pressed or a key led elsewhere', async () => {
  const { page } = app;
  const hint = page.getByRole('tooltip');
  await page.getByTestId('rail-groups').hover();
  await expect(hint).toBeVisible();
  await page.getByTestId('rail-groups').click();
  await expect(page.getByTestId('screen-groups')).toBeVisible();
  await expect(hint).toHaveCount(0);
  await page.getByTestId('rail-runs').hover();
  await expect(hint).toBeVisible();
  await page.keyboard.press('ControlOrMeta+2');
  await expect(page.getByTestId('screen-trajectories')).toBeVisible();
  await expect(hint).toHaveCount(0);
});
