// Bundles one benchmark of this folder and runs it: `node bench/trainer/run.mjs step [options]` or `... learning [options]`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [name = 'step', ...options] = process.argv.slice(2);
const outfile = `${root}.cache/bench/trainer-${name}.mjs`;

await build({
  entryPoints: [`${root}bench/trainer/${name}.bench.ts`],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  external: ['esbuild'],
  outfile,
  logLevel: 'warning',
});

const child = spawn(process.execPath, [outfile, ...options], { stdio: 'inherit', cwd: root });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
