import type { LlamaConfig } from './llama-config';

/** Input embedding; also the output head when embeddings are tied. */
export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
/** Output head of checkpoints whose embeddings are not tied. */
export const LM_HEAD = 'lm_head.weight';

/** The nine tensor names of one decoder layer. */
export interface LayerNames {
  readonly inputNorm: string;
  readonly q: string;
  readonly k: string;
  readonly v: string;
  readonly o: string;
  readonly postNorm: string;
  readonly gate: string;
  readonly up: string;
  readonly down: string;
}

export function layerNames(layer: number): LayerNames {
  const prefix = `model.layers.${layer}`;
  return {
    inputNorm: `${prefix}.input_layernorm.weight`,
    q: `${prefix}.self_attn.q_proj.weight`,
    k: `${prefix}.self_attn.k_proj.weight`,
    v: `${prefix}.self_attn.v_proj.weight`,
    o: `${prefix}.self_attn.o_proj.weight`,
    postNorm: `${prefix}.post_attention_layernorm.weight`,
    gate: `${prefix}.mlp.gate_proj.weight`,
    up: `${prefix}.mlp.up_proj.weight`,
    down: `${prefix}.mlp.down_proj.weight`,
  };
}

/** Every tensor of an HF Llama checkpoint with its shape, in file order. Linear weights are `[out, in]`. */
export function tensorShapes(config: LlamaConfig): ReadonlyMap<string, readonly number[]> {
  const { vocabSize, hiddenSize, intermediateSize } = config;
  const queryWidth = config.heads * config.headSize;
  const kvWidth = config.kvHeads * config.headSize;
  const shapes = new Map<string, readonly number[]>([[EMBEDDING, [vocabSize, hiddenSize]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const names = layerNames(layer);
    shapes.set(names.inputNorm, [hiddenSize]);
    shapes.set(names.q, [queryWidth, hiddenSize]);
    shapes.set(names.k, [kvWidth, hiddenSize]);
    shapes.set(names.v, [kvWidth, hiddenSize]);
    shapes.set(names.o, [hiddenSize, queryWidth]);
    shapes.set(names.postNorm, [hiddenSize]);
    shapes.set(names.gate, [intermediateSize, hiddenSize]);
    shapes.set(names.up, [intermediateSize, hiddenSize]);
    shapes.set(names.down, [hiddenSize, intermediateSize]);
  }
  shapes.set(FINAL_NORM, [hiddenSize]);
  if (!config.tiedEmbeddings) shapes.set(LM_HEAD, [vocabSize, hiddenSize]);
  return shapes;
}

export function parameterCount(config: LlamaConfig): number {
  let total = 0;
  for (const shape of tensorShapes(config).values()) total += shape.reduce((product, size) => product * size, 1);
  return total;
}
