import type { Run } from '../../shared/wire/trainer';
import { type DurableFiles, sha256Hex } from '../platform/durable-files';
import { joinPath, resolvePath } from '../platform/private-files';

/** What makes the tokens of one model mean the same to another: shapes and vocabulary. */
const IDENTITY_FILES = ['config.json', 'tokenizer.json'];

/** Where a run's model is now. */
export type ModelHome =
  | { readonly kind: 'at-home' }
  /** the same model is at `path` now: the folder was moved, or the program was installed elsewhere */
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'gone' };

/** Digest of what identifies the model of a folder; null when it holds none. */
export async function identifyModel(files: DurableFiles, folder: string): Promise<string | null> {
  const parts: string[] = [];
  for (const name of IDENTITY_FILES) {
    const bytes = await files.read(joinPath(folder, name));
    if (bytes !== null) parts.push(`${name} ${sha256Hex(bytes)}`);
    else if (name === 'config.json') return null;
  }
  return sha256Hex(new TextEncoder().encode(parts.join('\n')));
}

/**
 * Looks for the model a run was started with.
 *
 * A folder that is gone is replaced by the present one only if that holds the same model. Runs that did not note which
 * one theirs was are told by its copy beside their newest weights; before there are any, by the name of the folder.
 *
 * @param root - the run's folder, from which relative paths start
 * @param present - the model folder that the program was started with
 * @param weights - folder of the newest weights, if there are any
 */
export async function findModel(
  files: DurableFiles,
  run: Pick<Run, 'model_path' | 'model_digest'>,
  { root, present, weights }: { readonly root: string; readonly present: string; readonly weights: string | null },
): Promise<ModelHome> {
  const home = resolvePath(root, run.model_path);
  if (run.model_path === present || home === present || (await files.exists(joinPath(home, 'config.json'))))
    return { kind: 'at-home' };
  const found = await identifyModel(files, present);
  const wanted = run.model_digest ?? (weights === null ? null : await identifyModel(files, weights));
  const isSame = wanted === null ? nameOf(present) === nameOf(run.model_path) : wanted === found;
  return found !== null && isSame ? { kind: 'moved', path: present } : { kind: 'gone' };
}

function nameOf(folder: string): string {
  return (
    folder
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  );
}
