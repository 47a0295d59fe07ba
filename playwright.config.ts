import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // One app at a time: each starts an engine and a trainer, and two cores are all there may be.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  outputDir: 'test-results',
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE === undefined ? 'list' : [['list'], ['json']],
  use: { trace: 'retain-on-failure', screenshot: 'only-on-failure' },
});
