import { describe, expect, it } from 'vitest';
import { LlamaConfigError, readLlamaConfig, writeLlamaConfig } from './llama-config';
import { TINY_CONFIG } from './testing/tiny-checkpoint';

const json = (change: object = {}) => ({ ...writeLlamaConfig(TINY_CONFIG, { eosId: 2 }), ...change });

describe('readLlamaConfig', () => {
  it('reads back what writeLlamaConfig wrote', () => {
    expect(readLlamaConfig(json())).toEqual(TINY_CONFIG);
  });

  it('fills what older files leave out', () => {
    const { num_key_value_heads, head_dim, rope_theta, rms_norm_eps, tie_word_embeddings, hidden_act, ...rest } =
      json() as Record<string, unknown>;
    expect([num_key_value_heads, head_dim, rope_theta, rms_norm_eps, tie_word_embeddings, hidden_act]).not.toContain(
      undefined,
    );
    expect(readLlamaConfig(rest)).toEqual({ ...TINY_CONFIG, kvHeads: 4, rmsEps: 1e-6, tiedEmbeddings: false });
  });

  it.each<[string, unknown, string]>([
    ['a list', [], 'not a JSON object'],
    ['null', null, 'not a JSON object'],
    ['another model', json({ model_type: 'qwen3' }), 'qwen3'],
    ['no model type', json({ model_type: undefined }), 'model_type'],
    ['no vocabulary', json({ vocab_size: undefined }), 'vocab_size is absent'],
    ['a vocabulary of none', json({ vocab_size: 0 }), 'vocab_size is 0'],
    ['half a layer', json({ num_hidden_layers: 1.5 }), 'num_hidden_layers is 1.5'],
    ['a width that is text', json({ hidden_size: '32' }), 'hidden_size is "32"'],
    ['a negative context', json({ max_position_embeddings: -1 }), 'max_position_embeddings is -1'],
    ['heads that do not divide', json({ num_key_value_heads: 3 }), 'num_key_value_heads 3'],
    ['a width that heads do not divide', json({ head_dim: undefined, hidden_size: 30 }), 'head_dim is 7.5'],
    ['an odd head', json({ head_dim: 7 }), 'head_dim 7 is odd'],
    ['a rotary base of 0', json({ rope_theta: 0 }), 'rope_theta is 0'],
    ['an epsilon that is no number', json({ rms_norm_eps: 'small' }), 'rms_norm_eps'],
    ['biases', json({ attention_bias: true }), 'attention_bias'],
    ['another activation', json({ hidden_act: 'gelu' }), 'gelu'],
    ['stretched positions', json({ rope_scaling: { type: 'linear', factor: 2 } }), 'rope_scaling'],
  ])('refuses %s', (_name, value, named) => {
    expect(() => readLlamaConfig(value)).toThrow(LlamaConfigError);
    expect(() => readLlamaConfig(value)).toThrow(named);
  });
});
