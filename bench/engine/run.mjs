// node bench/engine/run.mjs: bundles and runs the sampling benchmark
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const outfile = join(root, '.cache', 'bench', 'engine-sampling.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['bench/engine/sampling.bench.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  logLevel: 'warning',
});
process.exit(spawnSync(process.execPath, [outfile], { cwd: root, stdio: 'inherit' }).status ?? 1);
