import { join, resolve } from 'node:path';

export interface LaunchOptions {
  /** null: the platform's usual place */
  readonly dataDir: string | null;
  /** lets a test answer the open dialog and nothing else */
  readonly isTest: boolean;
  /** the development server that electron-vite starts; null for the built page */
  readonly devServerUrl: string | null;
}

/** `--data-dir DIR`, `--data-dir=DIR` or PLAUDIT_DATA_DIR; the flag wins. */
export function readLaunchOptions(
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
  isPackaged: boolean,
): LaunchOptions {
  const dataDir = flagValue(args, '--data-dir') ?? environment.PLAUDIT_DATA_DIR;
  return {
    dataDir: dataDir === undefined || dataDir === '' ? null : resolve(dataDir),
    isTest: args.includes('--plaudit-test') || environment.NODE_ENV === 'test',
    // A packaged app must not be led to another page by a variable.
    devServerUrl: isPackaged ? null : (environment.ELECTRON_RENDERER_URL ?? null),
  };
}

function flagValue(args: readonly string[], flag: string): string | undefined {
  const joined = args.find((each) => each.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  const at = args.indexOf(flag);
  return at === -1 ? undefined : args[at + 1];
}

export interface InstalledFiles {
  readonly rendererDir: string;
  readonly preload: string;
  readonly programsDir: string;
  readonly demoModel: string;
  readonly sampleDir: string;
}

/**
 * Where the build put everything, seen from the bundled main file in `out/main`.
 *
 * Programs and model are read by child processes, so a packaged app keeps them outside of its archive.
 */
export function installedFiles(mainDir: string): InstalledFiles {
  const root = join(mainDir, '..', '..');
  const unpacked = root.replace(/app\.asar$/, 'app.asar.unpacked');
  return {
    rendererDir: join(root, 'out', 'renderer'),
    preload: join(root, 'out', 'preload', 'preload.cjs'),
    programsDir: join(unpacked, 'out', 'programs'),
    demoModel: join(unpacked, 'assets', 'demo-model'),
    sampleDir: join(unpacked, 'assets', 'sample-dump'),
  };
}
