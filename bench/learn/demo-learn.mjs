// The headless learning demo: `node bench/learn/demo-learn.mjs --help` tells its options (see options.ts).
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outfile = `${root}.cache/learn/main.mjs`;

await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  outfile,
  logLevel: 'warning',
});

const child = spawn(process.execPath, [outfile, root, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
