// Builds into out/: main, preload and renderer (electron-vite), and the child programs and the headless one (esbuild).
//   node scripts/build.mjs                everything
//   node scripts/build.mjs --if-stale     only when a source changed since the last build
//   node scripts/build.mjs --programs     only the programs (no Electron needed); with --if-stale as above
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const OTHER_INPUTS = [
  'package.json',
  'package-lock.json',
  'electron.vite.config.ts',
  'scripts/build.mjs',
  'scripts/assigned-fields.mjs',
  'scripts/build-programs.mjs',
];

const PARTS = {
  programs: {
    outputs: ['out/programs/engine.cjs', 'out/programs/trainer.cjs', 'out/programs/plaudit.cjs'],
    command: ['scripts/build-programs.mjs'],
  },
  app: {
    outputs: ['out/main/main.cjs', 'out/preload/preload.cjs', 'out/renderer/index.html'],
    command: ['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn'],
  },
};

/**
 * @param {{ parts?: (keyof typeof PARTS)[], onlyIfStale?: boolean, say?: (line: string) => void }} [options]
 * @returns {boolean} false when a part could not be built; its own output has said why
 */
export function build({ parts = ['programs', 'app'], onlyIfStale = false, say = console.log } = {}) {
  const inputs = fingerprint();
  for (const part of parts) {
    if (onlyIfStale && isFresh(part, inputs)) continue;
    say(`building the ${part} …`);
    const { status } = spawnSync(process.execPath, PARTS[part].command, {
      cwd: repository,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const missing = PARTS[part].outputs.filter((path) => !existsSync(join(repository, path)));
    if (status !== 0 || missing.length > 0) {
      say(`the ${part} could not be built${missing.length > 0 ? `: no ${missing.join(', ')}` : ''}`);
      return false;
    }
    mkdirSync(join(repository, '.cache'), { recursive: true });
    writeFileSync(stampPath(part), inputs);
  }
  return true;
}

const stampPath = (part) => join(repository, '.cache', `built-${part}`);

function isFresh(part, inputs) {
  const isComplete = PARTS[part].outputs.every((path) => existsSync(join(repository, path)));
  return isComplete && existsSync(stampPath(part)) && readFileSync(stampPath(part), 'utf8') === inputs;
}

/** Names, sizes and times of everything that goes into a build. */
function fingerprint() {
  const sources = readdirSync(join(repository, 'src'), { recursive: true }).map((name) => join('src', String(name)));
  const hash = createHash('sha256');
  for (const path of [...sources, ...OTHER_INPUTS].sort()) {
    if (/\.test\.tsx?$/.test(path) || !existsSync(join(repository, path))) continue;
    const stat = statSync(join(repository, path));
    if (stat.isFile()) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const onlyIfStale = process.argv.includes('--if-stale');
  const onlyPrograms = process.argv.includes('--programs');
  if (!onlyPrograms) {
    const { ensureElectron } = await import('./ensure-electron.mjs');
    await ensureElectron(console.error); // electron-vite asks the installed Electron what it is
  }
  process.exitCode = build({
    parts: onlyPrograms ? ['programs'] : ['programs', 'app'],
    onlyIfStale,
    say: console.error,
  })
    ? 0
    : 1;
}
