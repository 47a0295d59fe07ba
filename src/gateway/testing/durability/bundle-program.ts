import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * Bundles the gateway that is made to be killed.
 *
 * @param instead - files of the source put in the place of others, by their paths: the control that shows that the
 * harness can fail
 */
export async function bundleProgram(outfile: string, instead: Readonly<Record<string, string>> = {}): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    entryPoints: ['src/gateway/testing/durability/gateway-program.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    external: ['libsql'],
    plugins: Object.entries(instead).map(([file, other]) => replacement(resolve(file), resolve(other))),
  });
}

function replacement(file: string, other: string): Plugin {
  const pattern = new RegExp(`/${file.replace(/^.*\//, '').replace(/\.ts$/, '')}$`);
  return {
    name: `instead of ${file}`,
    setup(context) {
      context.onResolve({ filter: pattern }, ({ path, importer, resolveDir }) =>
        importer !== other && `${resolve(resolveDir, path)}.ts` === file ? { path: other } : undefined,
      );
    },
  };
}
