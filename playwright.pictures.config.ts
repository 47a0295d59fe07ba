import { defineConfig } from '@playwright/test';
import base from './playwright.config';

/** `npm run pictures`: draws every screen of a real run, for the README and for eyes. */
export default defineConfig({ ...base, testMatch: '**/*.pictures.ts', timeout: 600_000, reporter: 'list' });
