import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostParams } from '../checkpoint';
import { type LlamaConfig, writeLlamaConfig } from '../llama-config';
import { serializeSafetensors } from '../safetensors';
import { tensorShapes } from '../tensor-names';
import { byteLevelTokenizer, TINY_SPECIALS, TINY_VOCAB_SIZE, tinyTokenizerConfig } from './tiny-tokenizer';

export const TINY_CONFIG: LlamaConfig = {
  vocabSize: TINY_VOCAB_SIZE,
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 8,
  intermediateSize: 48,
  maxPositions: 256,
  ropeTheta: 10_000,
  rmsEps: 1e-5,
  tiedEmbeddings: true,
};

export interface TinyCheckpointOptions {
  readonly seed?: number;
  readonly config?: Partial<LlamaConfig>;
}

/** Writes a complete random HF Llama folder: config, safetensors, byte-level tokenizer, ChatML template. */
export async function writeTinyCheckpoint(folder: string, options: TinyCheckpointOptions = {}): Promise<LlamaConfig> {
  const config = { ...TINY_CONFIG, ...options.config };
  const params = randomParams(config, options.seed ?? 1);
  await mkdir(folder, { recursive: true });
  const tensors = [...tensorShapes(config)].map(([name, shape]) => [name, { shape, data: params[name]! }] as const);
  await writeFile(join(folder, 'model.safetensors'), serializeSafetensors(tensors));
  const eosId = TINY_SPECIALS.imEnd;
  await writeFile(join(folder, 'config.json'), JSON.stringify(writeLlamaConfig(config, { eosId }), null, 2));
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(byteLevelTokenizer()));
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(tinyTokenizerConfig()));
  return config;
}

/** Gaussian weights (norms are 1), reproducible from the seed. */
export function randomParams(config: LlamaConfig, seed: number, deviation = 0.15): HostParams {
  const random = mulberry32(seed);
  const params: Record<string, Float32Array> = {};
  for (const [name, shape] of tensorShapes(config)) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    if (name.endsWith('norm.weight')) data.fill(1);
    else for (let i = 0; i < data.length; i++) data[i] = gaussian(random) * deviation;
    params[name] = data;
  }
  return params;
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Small public-domain generator; tests need the same weights everywhere. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
