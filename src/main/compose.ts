import { join } from 'node:path';
import { app, type BrowserWindow, session } from 'electron';
import type { Settings } from '../shared/ipc/contract';
import { type Studio, startStudio } from '../studio/studio';
import { LogFile } from '../supervisor/log-file';
import { handleAppScheme } from './desktop/app-protocol';
import { APP_ORIGIN, isOwnPage, originOf } from './desktop/content-security';
import { installMenu } from './desktop/menu';
import { pickLanguage } from './desktop/menu-text';
import { crashPage, RendererCrashGuard } from './desktop/renderer-crash';
import { applyTheme } from './desktop/theme';
import { openWindow, refusePermissions, startUrl } from './desktop/window';
import { appInfoHandlers } from './ipc/handlers/app-info';
import { fileHandlers } from './ipc/handlers/files';
import { processHandlers } from './ipc/handlers/processes';
import { settingsHandlers } from './ipc/handlers/settings';
import { pushEvent } from './ipc/push-event';
import { registerIpc } from './ipc/register';
import { installedFiles, type LaunchOptions } from './launch-options';
import { DraftsFile } from './settings/drafts-file';
import { SettingsFile } from './settings/settings-file';
import { StudioHost } from './studio-host';

/** The desktop app once Electron is ready. */
export interface Desktop {
  openWindow(): BrowserWindow;
  stop(): Promise<void>;
}

/** Joins settings, studio, window and IPC. The window does not wait for the studio, and opens also when it cannot start. */
export function composeDesktop(launch: LaunchOptions): Desktop {
  const dataDir = app.getPath('userData');
  const files = installedFiles(__dirname);
  const settings = new SettingsFile(join(dataDir, 'settings.json'));
  const startedWith = settings.current();

  const host = new StudioHost(
    () => startDesktopStudio(dataDir, files, startedWith, launch.devServerUrl),
    settings.trouble(),
    (event) => {
      if (event.kind === 'process-change') pushEvent('process-change', { ...event.process });
      else pushEvent('studio-trouble', [...event.trouble]);
    },
  );

  const language = (): 'en' | 'zh' => {
    const chosen = settings.current().language;
    return chosen === 'system' ? pickLanguage(app.getPreferredSystemLanguages()) : chosen;
  };
  installMenu(language());
  applyTheme(startedWith.theme);
  handleAppScheme(files.rendererDir);
  refusePermissions(session.defaultSession, launch.devServerUrl);
  registerIpc(
    {
      ...processHandlers(host),
      ...fileHandlers({ host, dataDir, sampleDir: files.sampleDir, isTest: launch.isTest }),
      ...settingsHandlers({
        settings,
        startedWith,
        drafts: new DraftsFile(join(dataDir, 'drafts.json')),
        onChange: (next) => {
          installMenu(language());
          applyTheme(next.theme);
          void passOnTraining(host, next);
          pushEvent('settings-change', next);
        },
      }),
      ...appInfoHandlers(dataDir),
    },
    (url) => isOwnPage(url, launch.devServerUrl),
  );

  const crashes = new RendererCrashGuard(Date.now, (window, reason) => {
    const page = crashPage(language(), reason, startUrl(launch.devServerUrl));
    void window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(page)}`);
  });
  return {
    openWindow: () =>
      openWindow({
        preload: files.preload,
        stateFile: join(dataDir, 'window-state.json'),
        devServerUrl: launch.devServerUrl,
        onRendererGone: (window, reason) => crashes.onGone(window, reason),
      }),
    stop: () => host.stop(),
  };
}

/** A studio that could not start has nothing to tell; it reads the settings when it does. */
async function passOnTraining(host: StudioHost, next: Settings): Promise<void> {
  const studio = await host.started();
  studio?.gateway.changeTraining({
    baseline: next.baseline,
    learning_rate: next.learningRate,
    kl_beta: next.klBeta,
  });
}

function startDesktopStudio(
  dataDir: string,
  files: ReturnType<typeof installedFiles>,
  settings: Settings,
  devServerUrl: string | null,
): Promise<Studio> {
  const devOrigin = devServerUrl === null ? null : originOf(devServerUrl);
  const logFile = new LogFile(join(dataDir, 'logs', 'studio.log'));
  return startStudio({
    dataDir,
    modelPath: files.demoModel,
    isDemoModel: true,
    programsDir: files.programsDir,
    port: settings.gatewayPort,
    settings,
    allowedOrigins: devOrigin === null ? [APP_ORIGIN] : [APP_ORIGIN, devOrigin],
    log: (level, event, fields) => {
      if (level !== 'debug') logFile.append(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }));
    },
  });
}
