import { weightsManifestSchema } from '../../shared/wire/trainer';
import type { DurableFiles } from '../platform/durable-files';
import { joinPath } from '../platform/private-files';

/** Larger files are checked by size alone: hashing gigabytes at every version would hold up serving. */
const HASH_LIMIT_BYTES = 1024 ** 3;

/**
 * Why a weights folder of the trainer cannot be served, in words; null when it is whole.
 *
 * `weights.json` is written last, so a folder without it is unfinished; sizes and sha256 tell later damage.
 */
export async function damageOfWeights(files: DurableFiles, folder: string): Promise<string | null> {
  const bytes = await files.read(joinPath(folder, 'weights.json'));
  if (bytes === null) return `${folder} has no weights.json`;
  const manifest = weightsManifestSchema.safeParse(parseJson(bytes));
  if (!manifest.success) return `${folder}/weights.json is damaged`;
  for (const file of manifest.data.files) {
    const path = joinPath(folder, file.name);
    const size = await files.size(path);
    if (size === null) return `${path} is missing`;
    if (size !== file.bytes) return `${path} has ${size} bytes instead of ${file.bytes}`;
    if (size <= HASH_LIMIT_BYTES && (await files.sha256(path)) !== file.sha256)
      return `${path} has changed since it was written`;
  }
  return null;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
