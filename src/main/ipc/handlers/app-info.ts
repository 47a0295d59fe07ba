import { app } from 'electron';
import { pickLanguage } from '../../desktop/menu-text';
import type { IpcHandlers } from '../handler';

/** What runs here. */
export function appInfoHandlers(dataDir: string): Pick<IpcHandlers, 'app-info'> {
  return {
    'app-info': () => ({
      version: app.getVersion(),
      electron: process.versions.electron ?? '',
      chrome: process.versions.chrome ?? '',
      node: process.versions.node,
      dataDir,
      systemLanguage: pickLanguage(app.getPreferredSystemLanguages()),
    }),
  };
}
