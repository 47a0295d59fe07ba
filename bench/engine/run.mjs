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
// Flags as in src/supervisor/embedded-engine-command.ts.
const { status } = spawnSync(process.execPath, ['--max-semi-space-size=2', outfile], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
