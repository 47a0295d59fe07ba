// npm run dev:gateway: the gateway alone, answering from a script; no engine, no trainer. Settings: src/gateway/serve.ts.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const outfile = join(repository, '.cache', 'dev', 'gateway.cjs');
const dataDir = join(repository, '.cache', 'dev', 'data');
mkdirSync(dataDir, { recursive: true });
await build({
  absWorkingDir: repository,
  entryPoints: ['src/gateway/serve.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  external: ['libsql'],
  logLevel: 'warning',
});
const env = { PLAUDIT_DATA_DIR: dataDir, PLAUDIT_MODEL_PATH: join(repository, 'assets', 'demo-model'), ...process.env };
const gateway = spawn(process.execPath, [outfile], { stdio: 'inherit', env });
process.on('SIGINT', () => {});
process.on('SIGTERM', () => gateway.kill('SIGTERM'));
gateway.on('exit', (code) => process.exit(code ?? 1));
