import { SafetensorsError } from './safetensors';

export const INDEX_FILE = 'model.safetensors.index.json';
const MAX_SHARDS = 512;
/** A plain name of a file beside the index: no separators, no leading dot, so it cannot lead out of the folder. */
const SHARD_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.safetensors$/;

/**
 * Reads the parsed `model.safetensors.index.json` of a checkpoint in several files: file name → names of its tensors. Throws
 * SafetensorsError on anything but plain file names.
 */
export function readShardIndex(json: unknown): ReadonlyMap<string, readonly string[]> {
  const map = isObject(json) ? new Map(Object.entries(json)).get('weight_map') : undefined;
  if (!isObject(map)) throw new SafetensorsError(`${INDEX_FILE} has no weight_map`);
  const shards = new Map<string, string[]>();
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== 'string' || !SHARD_NAME.test(file)) {
      throw new SafetensorsError(
        `${INDEX_FILE} puts tensor ${tensor} into ${JSON.stringify(file)}, not a file beside it`,
      );
    }
    const names = shards.get(file) ?? [];
    names.push(tensor);
    shards.set(file, names);
    if (shards.size > MAX_SHARDS) throw new SafetensorsError(`${INDEX_FILE} names more than ${MAX_SHARDS} files`);
  }
  return shards;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
