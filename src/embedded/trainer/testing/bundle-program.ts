import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a program of the product into a temporary folder, as the product's own build does; returns its path. */
export async function bundleProgram(entry: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'plaudit-program-')), 'program.cjs');
  await build({
    entryPoints: [join(process.cwd(), entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    logLevel: 'error',
  });
  return outfile;
}

export const bundleTrainer = (): Promise<string> => bundleProgram('src/embedded/trainer/entry.ts');
export const bundleEngine = (): Promise<string> => bundleProgram('src/embedded/engine/entry.ts');
