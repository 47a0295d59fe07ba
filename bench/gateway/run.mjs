// Bundles the gateway and its benchmark and runs them: `node bench/gateway/run.mjs [--seconds 5]`,
// with `--floor` beside proxies that do nothing else, or with `--prefix` the cost of prompts late in a long session.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { assignedFields } from '../../scripts/assigned-fields.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = {
  'gateway-bench': 'bench/gateway/gateway.bench.ts',
  'gateway-bench-engine': 'bench/gateway/instant-engine.ts',
  'gateway-bench-floor': 'bench/gateway/floor.ts',
  'gateway-bench-prefix': 'bench/gateway/prefix.bench.ts',
  'gateway-bench-serve': 'src/gateway/serve.ts',
};
for (const [name, entry] of Object.entries(entries)) {
  await build({
    entryPoints: [root + entry],
    outfile: `${root}.cache/bench/${name}.cjs`,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    external: ['libsql'],
    plugins: [assignedFields],
    logLevel: 'error',
  });
}

const program = process.argv.includes('--prefix') ? 'gateway-bench-prefix' : 'gateway-bench';
const child = spawn(process.execPath, [`${root}.cache/bench/${program}.cjs`, ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
