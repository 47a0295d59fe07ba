import { mkdirSync } from 'node:fs';
import { shell } from 'electron';
import { askForPath } from '../../desktop/open-dialog';
import type { StudioHost } from '../../studio-host';
import type { IpcHandlers } from '../handler';

export interface FilePorts {
  readonly host: StudioHost;
  readonly dataDir: string;
  /** the trajectories that come with Plaudit */
  readonly sampleDir: string;
  readonly isTest: boolean;
}

/** What needs a dialog or the file manager. Only a path that a person chose, or one of our own, is ever opened. */
export function fileHandlers(ports: FilePorts): Pick<IpcHandlers, 'trajectories-open' | 'path-show'> {
  return {
    'trajectories-open': async ({ kind }) => {
      const studio = await ports.host.running();
      const path = kind === 'sample' ? ports.sampleDir : await askForPath(kind, ports.isTest);
      if (path === null) return null;
      const opened = await studio.gateway.openTrajectories(path);
      return opened.ok ? { ok: true, file: opened.value } : { ok: false, message: opened.error };
    },
    'path-show': async ({ what }) => {
      const studio = await ports.host.started();
      const folders = { dump: studio?.gateway.dumpDir, logs: studio?.logDir, data: ports.dataDir };
      const path = folders[what] ?? ports.dataDir;
      mkdirSync(path, { recursive: true });
      const problem = await shell.openPath(path);
      if (problem !== '') throw new Error(`${path}: ${problem}`);
      return undefined;
    },
  };
}
