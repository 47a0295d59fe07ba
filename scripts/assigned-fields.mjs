// How the template library is bundled: classes of its values set their fields by assignment.
//
// Each value declares `type` anew that its base class has declared. Defining a field that exists is a slow path of V8
// when dozens of classes meet in one place, and two thirds of a rendering went there: 14 ms instead of 2.7 for 200
// turns under a template like Qwen3's. For these classes, which have no setters, assignment means the same.
import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';

const LIBRARY = /[\\/]@huggingface[\\/]jinja[\\/]dist[\\/]index\.c?js$/;

/**
 * @param {string} code of a module
 * @returns {Promise<string>} the same with assigned fields
 */
async function assignFields(code) {
  const tsconfigRaw = { compilerOptions: { useDefineForClassFields: false } };
  // Only TypeScript's fields can be told to be assigned.
  return (await transform(code, { loader: 'ts', target: 'node18', tsconfigRaw })).code;
}

/** @type {import('esbuild').Plugin} */
export const assignedFields = {
  name: 'assigned-fields',
  setup(build) {
    build.onLoad({ filter: LIBRARY }, async ({ path }) => ({
      contents: await assignFields(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/** The same for Vite, which bundles the desktop host. */
export const assignedFieldsInVite = {
  name: 'assigned-fields',
  /**
   * @param {string} code
   * @param {string} id path of the module
   */
  async transform(code, id) {
    return LIBRARY.test(id) ? { code: await assignFields(code), map: null } : null;
  },
};
