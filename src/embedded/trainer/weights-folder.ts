import { copyFile, mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TRAINER_EXIT, type WeightsManifest, weightsManifestSchema } from '../../shared/wire/trainer';
import { COMPANION_FILES, type HostParams, loadCheckpoint, WEIGHTS_FILE } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { serializeSafetensors } from '../model/safetensors';
import { tensorShapes } from '../model/tensor-names';
import { createFolder, isAbsent, sha256, writeFlushed } from './durable-files';
import { TrainerFailure } from './trainer-failure';

const MANIFEST_FILE = 'weights.json';

export interface WeightsToPublish {
  readonly config: LlamaConfig;
  readonly params: HostParams;
  /** the seed model: tokenizer, template and config are copied from it */
  readonly modelPath: string;
  readonly baseSha: string;
  readonly about: Pick<WeightsManifest, 'version' | 'incarnation' | 'parent_version' | 'batch_id'>;
}

/** Writes a complete HF folder with its `weights.json`, flushed, then renamed into place. Returns the size of the weights. */
export async function publishWeights(folder: string, weights: WeightsToPublish): Promise<number> {
  const bytes = serializeSafetensors(namedTensors(weights), { version: String(weights.about.version) });
  await createFolder(folder, async (temporary) => {
    await mkdir(temporary, { recursive: true });
    const files: WeightsManifest['files'] = [];
    const record = (name: string, content: Uint8Array) => {
      files.push({ name, bytes: content.byteLength, sha256: sha256(content) });
    };
    await writeFlushed(join(temporary, WEIGHTS_FILE), bytes);
    record(WEIGHTS_FILE, bytes);
    for (const name of COMPANION_FILES) {
      if (!(await copyFlushed(join(weights.modelPath, name), join(temporary, name)))) continue;
      record(name, await readFile(join(temporary, name)));
    }
    const manifest: WeightsManifest = { ...weights.about, kind: 'full', files, base_sha: weights.baseSha };
    await writeFlushed(join(temporary, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  });
  return bytes.byteLength;
}

/** Parameters of a published folder, checked against its manifest; throws when a byte differs. */
export async function readPublishedWeights(folder: string): Promise<HostParams> {
  const manifest = weightsManifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')));
  const entry = manifest.files.find((file) => file.name === WEIGHTS_FILE);
  const actual = sha256(await readFile(join(folder, WEIGHTS_FILE)));
  if (entry?.sha256 !== actual) throw new Error(`${folder}: ${WEIGHTS_FILE} has sha256 ${actual}, not its own`);
  return (await loadCheckpoint(folder)).params;
}

/** Size of a folder's weights file, for the `weights` message. */
export async function weightsBytes(folder: string): Promise<number> {
  return (await stat(join(folder, WEIGHTS_FILE))).size;
}

/** The seed model that a run starts from; exit 12 when it cannot be loaded. */
export async function loadSeedModel(path: string) {
  try {
    const checkpoint = await loadCheckpoint(path);
    return { ...checkpoint, sha256: sha256(await readFile(join(path, WEIGHTS_FILE))) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TrainerFailure(`The model cannot be loaded: ${reason}`, {
      exitCode: TRAINER_EXIT.modelLoad,
      code: 'model_load',
      cause,
    });
  }
}

function* namedTensors({ config, params }: Pick<WeightsToPublish, 'config' | 'params'>) {
  for (const [name, shape] of tensorShapes(config)) {
    const data = params[name];
    if (data === undefined) throw new Error(`tensor ${name} is absent from the weights to publish`);
    yield [name, { shape, data }] as const;
  }
}

async function copyFlushed(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}
