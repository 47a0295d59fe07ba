// Bundles the seed-model program and runs it: `node scripts/seed-model/run.mjs [options]`.
// With --bundle-only it stops after bundling; the bundle needs nothing but Node.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const outdir = `${root}.cache/seed-model/program`;

await build({
  entryPoints: { main: `${folder}main.ts`, 'shard-worker': `${folder}shard-worker.ts` },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  outdir,
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});

if (!process.argv.includes('--bundle-only')) {
  const child = spawn(process.execPath, [`${outdir}/main.mjs`, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
