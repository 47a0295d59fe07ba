/** Shape of a small HF Llama: RMSNorm, rotary positions, SwiGLU, optional grouped-query attention. */
export interface LlamaConfig {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly intermediateSize: number;
  readonly maxPositions: number;
  readonly ropeTheta: number;
  readonly rmsEps: number;
  /** the output head is the embedding table itself; then there is no `lm_head.weight` */
  readonly tiedEmbeddings: boolean;
}

/** A `config.json` that this engine cannot run; the message names the field. */
export class LlamaConfigError extends Error {
  override readonly name = 'LlamaConfigError';
}

/** Reads the parsed `config.json` of an HF Llama checkpoint. Throws {@link LlamaConfigError} on anything it cannot run. */
export function readLlamaConfig(json: unknown): LlamaConfig {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new LlamaConfigError('config.json is not a JSON object');
  }
  const fields = new Map<string, unknown>(Object.entries(json));
  const modelType = fields.get('model_type');
  if (modelType !== 'llama') throw new LlamaConfigError(`model_type is ${JSON.stringify(modelType)}, expected "llama"`);
  refuseUnsupported(fields);
  const hiddenSize = count(fields, 'hidden_size');
  const heads = count(fields, 'num_attention_heads');
  const config: LlamaConfig = {
    vocabSize: count(fields, 'vocab_size'),
    hiddenSize,
    layers: count(fields, 'num_hidden_layers'),
    heads,
    kvHeads: count(fields, 'num_key_value_heads', heads),
    headSize: count(fields, 'head_dim', hiddenSize / heads),
    intermediateSize: count(fields, 'intermediate_size'),
    maxPositions: count(fields, 'max_position_embeddings'),
    ropeTheta: positive(fields, 'rope_theta', 10_000),
    rmsEps: positive(fields, 'rms_norm_eps', 1e-6),
    tiedEmbeddings: fields.get('tie_word_embeddings') === true,
  };
  if (config.heads % config.kvHeads !== 0) {
    throw new LlamaConfigError(
      `num_attention_heads ${heads} is not a multiple of num_key_value_heads ${config.kvHeads}`,
    );
  }
  if (config.headSize % 2 !== 0)
    throw new LlamaConfigError(`head_dim ${config.headSize} is odd; rotary positions need pairs`);
  return config;
}

/** The `config.json` of an HF Llama with this shape, as other tools read it. */
export function writeLlamaConfig(
  config: LlamaConfig,
  tokens: { readonly eosId: number; readonly padId?: number },
): object {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headSize,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    rope_theta: config.ropeTheta,
    rms_norm_eps: config.rmsEps,
    tie_word_embeddings: config.tiedEmbeddings,
    attention_bias: false,
    mlp_bias: false,
    hidden_act: 'silu',
    torch_dtype: 'float32',
    bos_token_id: null,
    eos_token_id: tokens.eosId,
    pad_token_id: tokens.padId ?? null,
  };
}

function refuseUnsupported(fields: ReadonlyMap<string, unknown>): void {
  for (const flag of ['attention_bias', 'mlp_bias']) {
    if (fields.get(flag) === true) throw new LlamaConfigError(`${flag} is not supported`);
  }
  const activation = fields.get('hidden_act') ?? 'silu';
  if (activation !== 'silu')
    throw new LlamaConfigError(`hidden_act ${JSON.stringify(activation)} is not supported, only "silu"`);
  if ((fields.get('rope_scaling') ?? null) !== null) throw new LlamaConfigError('rope_scaling is not supported');
}

function count(fields: ReadonlyMap<string, unknown>, name: string, fallback?: number): number {
  const value = fields.get(name) ?? fallback;
  if (value === undefined) throw new LlamaConfigError(`${name} is absent from config.json`);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new LlamaConfigError(`${name} is ${JSON.stringify(value)}, expected a positive integer`);
  }
  return value;
}

function positive(fields: ReadonlyMap<string, unknown>, name: string, fallback: number): number {
  const value = fields.get(name) ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new LlamaConfigError(`${name} is ${JSON.stringify(value)}, expected a positive number`);
  }
  return value;
}
