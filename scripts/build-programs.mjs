// Bundles the programs that run as child processes into one file each: no node_modules beside them, ready in a blink.
//   node scripts/build-programs.mjs [name …]      all programs, or only the named ones
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { assignedFields } from './assigned-fields.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Program name → its entry, relative to the repository. */
export const PROGRAMS = {
  engine: 'src/embedded/engine/entry.ts',
  trainer: 'src/embedded/trainer/entry.ts',
  plaudit: 'src/headless/plaudit.ts',
};

/**
 * Bundles one program.
 *
 * @param {keyof typeof PROGRAMS} name
 * @param {{ outDir?: string }} [options] folder of the bundle; `out/programs` by default
 * @returns {Promise<string | null>} path of the bundle, null when the entry does not exist
 */
export async function buildProgram(name, options = {}) {
  const entry = PROGRAMS[name];
  if (entry === undefined)
    throw new Error(`unknown program ${name}, expected one of ${Object.keys(PROGRAMS).join(', ')}`);
  if (!existsSync(join(root, entry))) return null;
  const outfile = join(options.outDir ?? join(root, 'out', 'programs'), `${name}.cjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // Electron 25, the oldest runtime we support, is Node 18.15
    target: 'node18',
    // a native module: it finds its own binary beside itself
    external: ['libsql'],
    plugins: [assignedFields],
    // the tensor library's own file asks for import.meta.url only in a branch for browsers
    logOverride: { 'empty-import-meta': 'silent' },
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  });
  return outfile;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PROGRAMS);
  for (const name of wanted) {
    const startedAt = performance.now();
    const outfile = await buildProgram(name);
    if (outfile === null) console.log(`${name}: ${PROGRAMS[name]} does not exist yet, skipped`);
    else console.log(`${name}: ${outfile} (${Math.round(performance.now() - startedAt)} ms)`);
  }
}
