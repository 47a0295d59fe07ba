import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type WeightsManifest, weightsManifestSchema } from '../shared/wire/trainer';
import type { EngineWeights } from '../supervisor/embedded-engine-command';

/** Hashing more than this at every start would keep a person waiting; sizes still tell most damage. */
const HASH_LIMIT_BYTES = 256 * 1024 * 1024;

export interface PickedWeights {
  /** null: none of them can be loaded */
  readonly weights: EngineWeights | null;
  /** what was passed over, newest first */
  readonly damaged: readonly { readonly version: number; readonly reason: string }[];
}

/** The newest folder that is whole; what was passed over is told, never silently skipped. */
export async function pickWeights(newestFirst: readonly EngineWeights[]): Promise<PickedWeights> {
  const damaged: { version: number; reason: string }[] = [];
  for (const weights of newestFirst) {
    const reason = await damageOf(weights.path);
    if (reason === null) return { weights, damaged };
    damaged.push({ version: weights.version, reason });
  }
  return { weights: null, damaged };
}

/** Why an engine could not load this folder, or null when it is whole. */
export async function damageOf(folder: string): Promise<string | null> {
  if (!existsSync(folder)) return `${folder} does not exist`;
  for (const name of ['config.json', 'tokenizer.json']) {
    if (!existsSync(join(folder, name))) return `${join(folder, name)} is missing`;
  }
  const manifestPath = join(folder, 'weights.json');
  if (!existsSync(manifestPath)) {
    return existsSync(join(folder, 'model.safetensors')) || existsSync(join(folder, 'model.safetensors.index.json'))
      ? null
      : `${join(folder, 'model.safetensors')} is missing`;
  }
  const manifest = readManifest(manifestPath);
  if (manifest === null) return `${manifestPath} cannot be read`;
  for (const file of manifest.files) {
    const path = join(folder, file.name);
    if (!existsSync(path)) return `${path} is missing`;
    if (statSync(path).size !== file.bytes) return `${path} has ${statSync(path).size} bytes instead of ${file.bytes}`;
    if (file.bytes <= HASH_LIMIT_BYTES && (await sha256Of(path)) !== file.sha256) return `${path} has changed`;
  }
  return null;
}

function readManifest(path: string): WeightsManifest | null {
  try {
    const parsed = weightsManifestSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer); // a stream without encoding gives buffers
  return hash.digest('hex');
}
