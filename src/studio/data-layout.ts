import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StudioError } from './studio-error';

/** Where everything of one studio lies; one folder can be copied, moved or deleted as a whole. */
export interface DataLayout {
  readonly dataDir: string;
  readonly lockFile: string;
  readonly processLedger: string;
  readonly logDir: string;
}

/** Creates the data folder (readable by its owner only) if need be, and makes sure that it can be written to. */
export function prepareDataDir(dataDir: string): DataLayout {
  const logDir = join(dataDir, 'logs');
  try {
    makeFolder(logDir);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException; // errors of fs carry a code
    throw new StudioError('data-folder', `The data folder ${dataDir} cannot be written to (${code}).`, adviceOn(code), {
      cause: error,
    });
  }
  return {
    dataDir,
    lockFile: join(dataDir, 'studio.lock'),
    processLedger: join(dataDir, 'processes.json'),
    logDir,
  };
}

function adviceOn(code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Free some space on its disk and start again.';
  if (code === 'EROFS') return 'Its volume is mounted read-only: mount it for writing, or choose another --data-dir.';
  return 'Choose another folder with --data-dir, or change its permissions.';
}

/** Node's own recursive mkdir never returns where a parent exists but takes no folders (seen under /proc). */
function makeFolder(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
