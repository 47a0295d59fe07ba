import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, expect, type Page } from '@playwright/test';
import type { ProcessView } from '../src/shared/ipc/contract';
import type { Status } from '../src/shared/wire/rl';

export interface LaunchSettings {
  /** an existing data folder: what an earlier launch left is found again; default: a new one, removed by `dispose` */
  readonly dataDir?: string;
  /** answers the open dialog */
  readonly openPath?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** run with Chromium's sandbox, which needs an ordinary user */
  readonly sandbox?: boolean;
}

/** The built app, started for a test on a data folder of its own. */
export interface App {
  readonly electron: ElectronApplication;
  readonly page: Page;
  readonly dataDir: string;
  /** errors and warnings of the page's console, as they came */
  readonly consoleProblems: readonly string[];
  /** the host process */
  readonly pid: number;
  gateway(): Promise<{ readonly url: string; readonly token: string }>;
  /** an admin call to the gateway */
  call(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: unknown }>;
  status(): Promise<Status>;
  process(name: 'engine' | 'trainer'): Promise<ProcessView>;
  /** waits until engine and trainer are ready and the engine's version is known to the gateway */
  untilServing(version?: number): Promise<void>;
  /** closes the window as a person would, and waits until everything has ended */
  close(): Promise<void>;
  /** kill -9 of the host alone, as in a crash */
  kill(): Promise<void>;
  /** ends whatever still runs and removes the data folder */
  dispose(): Promise<void>;
}

const REPOSITORY = resolve(import.meta.dirname, '..');
const SERVING_TIMEOUT_MS = 90_000;

/** Starts the app from `out/` (built before) and waits for its window. */
export async function launchApp(settings: LaunchSettings = {}): Promise<App> {
  const dataDir = settings.dataDir ?? mkdtempSync(join(tmpdir(), 'plaudit-e2e-'));
  const electron = await _electron.launch({
    args: [REPOSITORY, '--plaudit-test', `--data-dir=${dataDir}`, ...(settings.args ?? [])],
    chromiumSandbox: settings.sandbox ?? false,
    env: {
      ...definedEnvironment(),
      ...(settings.openPath === undefined ? {} : { PLAUDIT_TEST_OPEN_PATH: settings.openPath }),
      ...settings.env,
    },
  });
  const page = await electron.firstWindow();
  const consoleProblems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleProblems.push(message.text());
  });
  page.on('pageerror', (error) => consoleProblems.push(error.message));
  await page.waitForLoadState('domcontentloaded');
  return createApp(electron, page, dataDir, consoleProblems, settings.dataDir === undefined);
}

function createApp(
  electron: ElectronApplication,
  page: Page,
  dataDir: string,
  consoleProblems: string[],
  ownsDataDir: boolean,
): App {
  const host = electron.process();
  const ended = new Promise<void>((done) => {
    if (host.exitCode !== null || host.signalCode !== null) done();
    else host.once('exit', () => done());
  });
  const gateway = async (): Promise<{ url: string; token: string }> => {
    const address = await invoke<{ url: string | null; token: string }>(page, 'gateway-address');
    if (address.url === null) throw new Error(`the gateway did not open: ${JSON.stringify(address)}`);
    return { url: address.url, token: address.token };
  };
  const app: App = {
    electron,
    page,
    dataDir,
    consoleProblems,
    pid: host.pid ?? 0,
    gateway,
    async call(method, path, body, key) {
      const { url, token } = await gateway();
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key ?? token}`, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: reply.status, body: await reply.json() };
    },
    async status() {
      return (await app.call('GET', '/rl/status')).body as Status; // the gateway's own contract tests check this shape
    },
    async process(name) {
      const views = await invoke<ProcessView[]>(page, 'processes-list');
      const view = views.find((each) => each.name === name);
      if (view === undefined) throw new Error(`no process ${name}`);
      return view;
    },
    async untilServing(version) {
      await expect
        .poll(
          async () => {
            const status = await app.status();
            const states = [(await app.process('engine')).state, (await app.process('trainer')).state];
            return {
              states,
              served: status.served_version !== null && (version ?? status.served_version) === status.served_version,
            };
          },
          { timeout: SERVING_TIMEOUT_MS },
        )
        .toEqual({ states: ['ready', 'ready'], served: true });
    },
    async close() {
      await electron.close();
      await ended;
    },
    async kill() {
      host.kill('SIGKILL');
      await ended;
    },
    async dispose() {
      if (host.exitCode === null && host.signalCode === null) host.kill('SIGKILL');
      await ended;
      if (!ownsDataDir) return;
      await removeFolder(dataDir);
    },
  };
  return app;
}

/** Engine and trainer follow a killed host by themselves, and may still write for a moment. */
export async function removeFolder(path: string): Promise<void> {
  await expect
    .poll(() => {
      try {
        rmSync(path, { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    })
    .toBe(true);
}

/** A call through the page's own door, so that sandbox, preload and sender check are in the way. */
export async function invoke<T>(page: Page, channel: string, request?: unknown): Promise<T> {
  return (await page.evaluate(
    ([name, argument]) =>
      (window as unknown as { studio: { invoke(channel: string, request: unknown): Promise<unknown> } }).studio.invoke(
        name as string,
        argument,
      ),
    [channel, request] as const,
  )) as T; // the caller names the reply of this channel
}

function definedEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
