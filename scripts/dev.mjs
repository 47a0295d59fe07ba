// npm run dev: the app with a page that reloads as you edit. Child programs are built once, at the start.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ensureElectron } from './ensure-electron.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
await ensureElectron();
if (!build({ parts: ['programs'], onlyIfStale: true })) process.exit(1);
const isRoot = process.getuid?.() === 0 && process.env.PLAUDIT_ALLOW_ROOT === '1';
const args = [
  'node_modules/electron-vite/bin/electron-vite.js',
  'dev',
  ...(isRoot ? ['--noSandbox'] : []),
  ...process.argv.slice(2),
];
const server = spawn(process.execPath, args, { cwd: repository, stdio: 'inherit' });
process.on('SIGINT', () => {});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code) => process.exit(code ?? 1));
