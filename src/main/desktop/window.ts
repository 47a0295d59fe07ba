import { BrowserWindow, type BrowserWindowConstructorOptions, type Session, screen } from 'electron';
import { readWindowState, writeWindowState } from '../settings/window-state-file';
import { APP_ORIGIN, isOwnPage } from './content-security';
import { windowBackground } from './theme';

export interface WindowOptions {
  readonly preload: string;
  readonly stateFile: string;
  /** null: the built page */
  readonly devServerUrl: string | null;
  onRendererGone(window: BrowserWindow, reason: string): void;
}

const USUAL_SIZE = { width: 1280, height: 820 } as const;

/** The one window, where it stood last time, shut to everything but the studio's own page. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const state = readWindowState(
    options.stateFile,
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const window = new BrowserWindow({
    ...(state?.bounds ?? USUAL_SIZE),
    minWidth: 640,
    minHeight: 400,
    show: false,
    backgroundColor: windowBackground(),
    title: 'Plaudit',
    webPreferences: webPreferences(options.preload),
  });
  if (state?.isMaximized === true) window.maximize();
  guard(window, options.devServerUrl);
  window.once('ready-to-show', () => window.show());
  window.on('close', () => {
    writeWindowState(options.stateFile, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() });
  });
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason !== 'clean-exit') options.onRendererGone(window, details.reason);
  });
  void window.loadURL(startUrl(options.devServerUrl));
  return window;
}

/** Where the page starts. */
export function startUrl(devServerUrl: string | null): string {
  return devServerUrl ?? `${APP_ORIGIN}/index.html`;
}

function webPreferences(preload: string): BrowserWindowConstructorOptions['webPreferences'] {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    webviewTag: false,
    spellcheck: false,
  };
}

/** No page but ours, no second window, no frame of another origin. */
function guard(window: BrowserWindow, devServerUrl: string | null): void {
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event, url) => {
    if (!isOwnPage(url, devServerUrl)) event.preventDefault();
  });
  webContents.on('will-redirect', (event, url) => {
    if (!isOwnPage(url, devServerUrl)) event.preventDefault();
  });
  webContents.on('will-attach-webview', (event) => event.preventDefault());
}

/** Every permission is refused, except writing plain text to the clipboard by a click on our own page. */
export function refusePermissions(session: Session, devServerUrl: string | null): void {
  const isGranted = (permission: string, url: string): boolean =>
    permission === 'clipboard-sanitized-write' && isOwnPage(url, devServerUrl);
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isGranted(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => isGranted(permission, origin));
  session.setDevicePermissionHandler(() => false);
}
