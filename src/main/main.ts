import { join } from 'node:path';
import { app, BrowserWindow } from 'electron';
import { surviveClosedOutput } from '../studio/quiet-output';
import { composeDesktop, type Desktop } from './compose';
import { registerAppScheme } from './desktop/app-protocol';
import { hasGraphicsDevice } from './desktop/graphics';
import { readLaunchOptions } from './launch-options';

surviveClosedOutput();
const launch = readLaunchOptions(process.argv, process.env, app.isPackaged);
if (launch.dataDir !== null) app.setPath('userData', launch.dataDir);
// Chromium's own files (caches, storage) stay apart from the ratings, so that either can be copied or deleted alone.
app.setPath('sessionData', join(app.getPath('userData'), 'chromium'));
registerAppScheme();
if (!hasGraphicsDevice(process.platform)) app.disableHardwareAcceleration();

let desktop: Desktop | null = null;

// The lock belongs to the data folder: two windows on two folders may run side by side.
if (!app.requestSingleInstanceLock()) {
  process.stderr.write(`Plaudit already runs with ${app.getPath('userData')}; its window comes to the front.\n`);
  app.exit(0);
} else {
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  stopBeforeQuit();
  void app.whenReady().then(() => {
    desktop = composeDesktop(launch);
    desktop.openWindow();
  });
}

function showWindow(): void {
  const window = BrowserWindow.getAllWindows()[0];
  if (window === undefined) {
    desktop?.openWindow();
    return;
  }
  if (window.isMinimized()) window.restore();
  window.focus();
}

/** Holds the quit back until trainer, engine and gateway have ended in order; the window is closed by then. */
function stopBeforeQuit(): void {
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  const finish = (): void => {
    state = 'stopped';
    app.quit();
  };
  app.on('will-quit', (event) => {
    if (state === 'stopped' || desktop === null) return;
    event.preventDefault();
    if (state === 'stopping') return;
    state = 'stopping';
    desktop.stop().then(finish, (error: unknown) => {
      process.stderr.write(`the studio did not stop in order: ${String(error)}\n`);
      finish();
    });
  });
}
