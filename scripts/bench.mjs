// npm run bench: every benchmark, one after the other, printed as tables. npm run bench -- trainer runs only that one.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const all = readdirSync(join(repository, 'bench')).filter((name) =>
  existsSync(join(repository, 'bench', name, 'run.mjs')),
);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(1);
}
if (!build({ parts: ['programs'], onlyIfStale: true })) process.exit(1);
let failed = 0;
for (const name of asked.length > 0 ? asked : all) {
  console.log(`\n── ${name}`);
  const { status } = spawnSync(process.execPath, [join('bench', name, 'run.mjs')], {
    cwd: repository,
    stdio: 'inherit',
  });
  if (status !== 0) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
