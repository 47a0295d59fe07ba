import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LlamaConfig, LlamaConfigError, readLlamaConfig } from './llama-config';
import { type NamedTensor, parseSafetensors, type SafetensorsFile, serializeSafetensors } from './safetensors';
import { INDEX_FILE, readShardIndex } from './shard-index';
import { tensorShapes } from './tensor-names';

/** Tensor name → values, row-major, shapes as `tensorShapes(config)` gives them. */
export type HostParams = Readonly<Record<string, Float32Array>>;

export interface Checkpoint {
  readonly config: LlamaConfig;
  readonly params: HostParams;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A folder that is not a usable checkpoint; the message is one sentence for a person. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  /** no such file · damaged or incomplete · a model this program cannot run */
  readonly kind: 'missing' | 'broken' | 'unsupported';

  constructor(message: string, options: { readonly cause?: unknown; readonly kind?: CheckpointError['kind'] } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = options.kind ?? 'broken';
  }
}

export const WEIGHTS_FILE = 'model.safetensors';
export const CONFIG_FILE = 'config.json';
/** Files besides the weights that make a checkpoint complete for other tools; copied when present. */
export const COMPANION_FILES = [
  CONFIG_FILE,
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
] as const;

/** Loads an HF folder (`config.json`, weights in one file or in shards), checking every name, shape and value. */
export async function loadCheckpoint(folder: string): Promise<Checkpoint> {
  const config = await loadConfig(folder);
  const file = await readWeights(folder);
  const params: Record<string, Float32Array> = {};
  for (const [name, shape] of tensorShapes(config)) {
    const tensor = file.tensors.get(name);
    if (tensor === undefined) throw new CheckpointError(`${folder}: tensor ${name} is absent`);
    if (!(tensor.data instanceof Float32Array))
      throw new CheckpointError(`${folder}: tensor ${name} does not hold floats`);
    if (tensor.shape.length !== shape.length || tensor.shape.some((size, axis) => size !== shape[axis])) {
      throw new CheckpointError(`${folder}: tensor ${name} has shape [${tensor.shape}], expected [${shape}]`);
    }
    if (!tensor.data.every(Number.isFinite))
      throw new CheckpointError(`${folder}: tensor ${name} holds NaN or infinite values`);
    params[name] = tensor.data;
  }
  return { config, params, metadata: file.metadata };
}

/** `model.safetensors`, or where there is none the shards that the index names. */
async function readWeights(folder: string): Promise<SafetensorsFile> {
  if ((await exists(join(folder, WEIGHTS_FILE))) || !(await exists(join(folder, INDEX_FILE)))) {
    const bytes = await readPart(folder, WEIGHTS_FILE);
    return inFolder(folder, () => parseSafetensors(bytes));
  }
  const index = await readPart(folder, INDEX_FILE);
  const shards = inFolder(folder, () => readShardIndex(parseJson(INDEX_FILE, index)));
  const tensors = new Map<string, NamedTensor>();
  let metadata: SafetensorsFile['metadata'] = {};
  for (const [file, names] of shards) {
    const bytes = await readPart(folder, file);
    const shard = inFolder(join(folder, file), () => parseSafetensors(bytes));
    for (const name of names) {
      const tensor = shard.tensors.get(name);
      if (tensor === undefined)
        throw new CheckpointError(`${folder}: tensor ${name} is absent from ${file}, where the index puts it`);
      tensors.set(name, tensor);
    }
    metadata = { ...metadata, ...shard.metadata };
  }
  return { tensors, metadata };
}

export async function loadConfig(folder: string): Promise<LlamaConfig> {
  const bytes = await readPart(folder, CONFIG_FILE);
  return inFolder(folder, () => readLlamaConfig(parseJson(CONFIG_FILE, bytes)));
}

function parseJson(name: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new CheckpointError(`${name} is not valid JSON`, { cause });
  }
}

/**
 * Writes a complete HF folder that appears whole or not at all: everything goes to a neighbour folder, is flushed to
 * disk, and is renamed into place. The target must not exist. Companion files are copied from `companionsFrom`.
 */
export async function saveCheckpoint(
  folder: string,
  checkpoint: {
    readonly config: LlamaConfig;
    readonly params: HostParams;
    readonly metadata?: Readonly<Record<string, string>>;
  },
  companionsFrom: string,
): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  if (await exists(folder)) throw new CheckpointError(`${folder} exists already`);
  const temporary = join(parent, `.${basename(folder)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(temporary);
    for (const name of COMPANION_FILES) {
      const source = join(companionsFrom, name);
      if (!(await exists(source))) continue;
      await copyFile(source, join(temporary, name));
      await flush(join(temporary, name));
    }
    const file = await open(join(temporary, WEIGHTS_FILE), 'w');
    try {
      await file.writeFile(serializeSafetensors(namedTensors(checkpoint), checkpoint.metadata));
      await file.sync();
    } finally {
      await file.close();
    }
    await flush(temporary);
    await rename(temporary, folder);
    await flush(parent);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    throw cause;
  }
}

function* namedTensors({ config, params }: { readonly config: LlamaConfig; readonly params: HostParams }) {
  for (const [name, shape] of tensorShapes(config)) {
    const data = params[name];
    if (data === undefined) throw new CheckpointError(`tensor ${name} is absent from the parameters to save`);
    yield [name, { shape, data }] as const;
  }
}

async function readPart(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new CheckpointError(`${join(folder, name)} cannot be read (${code})`, { cause, kind: 'missing' });
  }
}

function inFolder<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const kind = cause instanceof LlamaConfigError ? 'unsupported' : 'broken';
    throw new CheckpointError(`${folder}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause, kind });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** fsync of a file or folder. Windows cannot open folders, and needs no such flush. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync().catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EPERM' && cause.code !== 'EISDIR' && cause.code !== 'EINVAL') throw cause;
    });
  } finally {
    await handle.close();
  }
}
