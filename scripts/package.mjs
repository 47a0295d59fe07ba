// npm run package: builds, then packs for this system into release/. Uses the runtime that is installed, so it also works
// offline; a release for users is packed on a machine where the official Electron was downloaded.
//   node scripts/package.mjs [electron-builder arguments, default --linux dir]
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ensureElectron } from './ensure-electron.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const { executable, version } = await ensureElectron();
if (!build({ onlyIfStale: true })) process.exit(1);
const target = process.argv.length > 2 ? process.argv.slice(2) : ['--linux', 'dir'];
const runtime = [`-c.electronVersion=${version}`];
if (process.platform === 'linux') runtime.push(`-c.electronDist=${dirname(realpathSync(executable))}`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/electron-builder/cli.js', ...target, '--publish', 'never', ...runtime],
  { cwd: repository, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
