// npm start: runtime, build if a source changed, then the app. Arguments after `--` go to the app.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { passOnQuietly } from './chromium-noise.mjs';
import { ElectronProblem, ensureElectron } from './ensure-electron.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const isRoot = process.getuid?.() === 0;
// Chromium's noise about a desktop bus is left out on Linux; `npm start -- --enable-logging` shows all it says.
const saysAll = process.platform !== 'linux' || process.argv.includes('--enable-logging');
const mayBeRoot = process.env.PLAUDIT_ALLOW_ROOT === '1';

function refuse(message) {
  console.error(message);
  process.exit(1);
}

if (isRoot && !mayBeRoot) {
  refuse(
    'Plaudit does not start as root: Chromium cannot shut its pages in a sandbox there.\n' +
      'Start it as an ordinary user. For a test machine only: PLAUDIT_ALLOW_ROOT=1 npm start (no sandbox).\n' +
      'Without a window it runs as any user: npm run serve',
  );
}
if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
  refuse('There is no display (DISPLAY and WAYLAND_DISPLAY are not set).\nWithout a window: npm run serve');
}

try {
  const { executable, version } = await ensureElectron();
  if (!build({ onlyIfStale: true })) process.exit(1);
  console.log(`starting Plaudit on Electron ${version}`);
  const { ELECTRON_RUN_AS_NODE: _unset, ...env } = process.env;
  const app = spawn(executable, [...(isRoot ? ['--no-sandbox'] : []), '.', ...process.argv.slice(2)], {
    cwd: repository,
    stdio: ['inherit', 'inherit', saysAll ? 'inherit' : 'pipe'],
    env,
  });
  if (app.stderr !== null) passOnQuietly(app.stderr, process.stderr);
  // The app gets the terminal's Ctrl-C itself and stops in order; this script waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => app.kill('SIGTERM'));
  app.on('exit', (code) => {
    const end = () => process.exit(code ?? 1);
    // Its last words first; but not waiting for a process that still holds its output.
    app.once('close', end);
    setTimeout(end, 500);
  });
} catch (error) {
  if (!(error instanceof ElectronProblem)) throw error;
  refuse(error.message);
}
