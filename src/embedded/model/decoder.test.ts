import { beforeAll, describe, expect, it } from 'vitest';
import { Decoder } from './decoder';
import { KvCache } from './kv-cache';
import type { LlamaConfig } from './llama-config';
import { FINAL_NORM } from './tensor-names';
import { startTensorRuntime } from './tensor-runtime';
import { referenceLogits } from './testing/reference-forward';
import { mulberry32, randomParams, TINY_CONFIG } from './testing/tiny-checkpoint';

beforeAll(startTensorRuntime);

const LENGTH = 24;
const prompt = Array.from({ length: LENGTH }, (_, i) => (i * 37 + 11) % TINY_CONFIG.vocabSize);

/** Feeds the prompt token by token in one row of a batch whose other rows are busy with noise. */
async function decodeInRow(decoder: Decoder, rows: number, capacity: number, row: number): Promise<Float32Array> {
  const cache = new KvCache(decoder.config);
  cache.reshape(rows, capacity, []);
  const random = mulberry32(rows * 1000 + capacity);
  let logits = new Float32Array();
  for (let position = 0; position < LENGTH; position++) {
    const batch = Array.from({ length: rows }, (_, i) => {
      const noise = Math.floor(random() * decoder.config.vocabSize);
      if (i === row) return { tokenId: prompt[position]!, position };
      return i % 3 === 2 ? null : { tokenId: noise, position };
    });
    const step = await decoder.step(batch, cache);
    logits = step.slice(row * decoder.config.vocabSize, (row + 1) * decoder.config.vocabSize);
  }
  return logits;
}

async function prefillLast(decoder: Decoder, paddedLength: number): Promise<Float32Array> {
  const { logits } = await decoder.prefill(prompt, paddedLength);
  return logits.slice((LENGTH - 1) * decoder.config.vocabSize, LENGTH * decoder.config.vocabSize);
}

const SHAPES = [
  ['grouped-query attention', {}],
  ['one key head per query head and wider layers', { kvHeads: 4, hiddenSize: 64, headSize: 16, intermediateSize: 88 }],
  ['two heads only', { heads: 2, kvHeads: 1, headSize: 16 }],
  ['an output head of its own', { tiedEmbeddings: false }],
] satisfies [string, Partial<LlamaConfig>][];

describe.each(SHAPES)('Decoder with %s', (_name, change) => {
  const config = { ...TINY_CONFIG, ...change };
  const host = randomParams(config, 5);

  it('equals a plain scalar Llama', async () => {
    const decoder = new Decoder(config, host);
    const expected = referenceLogits(config, host, prompt).at(-1)!;
    const actual = await prefillLast(decoder, 32);
    expect(Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)))).toBeLessThan(2e-5);
    decoder.dispose();
  });

  it('gives the same bits in any row of any batch, at any capacity, by prefill or by decode', async () => {
    const decoder = new Decoder(config, host);
    const alone = await decodeInRow(decoder, 1, 64, 0);
    for (const [rows, capacity, row] of [
      [1, 128, 0],
      [8, 64, 5],
      [8, 128, 0],
      [32, 64, 31],
      [32, 256, 2],
      [5, 90, 4],
    ] as const) {
      expect(await decodeInRow(decoder, rows, capacity, row), `${rows} rows, capacity ${capacity}`).toEqual(alone);
    }
    for (const padded of [24, 31, 32, 64, 90, 128, 256])
      expect(await prefillLast(decoder, padded), `prefill ${padded}`).toEqual(alone);
    decoder.dispose();
  });
});

describe('Decoder', () => {
  it('answers with new weights after a swap and equals a decoder made of them', async () => {
    const decoder = new Decoder(TINY_CONFIG, randomParams(TINY_CONFIG, 1));
    const before = await prefillLast(decoder, 32);
    decoder.swap(randomParams(TINY_CONFIG, 2));
    const after = await prefillLast(decoder, 32);
    const other = new Decoder(TINY_CONFIG, randomParams(TINY_CONFIG, 2));
    expect(after).not.toEqual(before);
    expect(after).toEqual(await prefillLast(other, 32));
    decoder.dispose();
    other.dispose();
  });

  it('tells weights that overflow from usable ones, without adopting them', async () => {
    const decoder = new Decoder(TINY_CONFIG, randomParams(TINY_CONFIG, 1));
    const before = await prefillLast(decoder, 32);
    expect(await decoder.isUsable(randomParams(TINY_CONFIG, 2))).toBe(true);
    const overflowing = {
      ...randomParams(TINY_CONFIG, 2),
      [FINAL_NORM]: new Float32Array(TINY_CONFIG.hiddenSize).fill(3e38),
    };
    expect(await decoder.isUsable(overflowing)).toBe(false);
    expect(await prefillLast(decoder, 32)).toEqual(before);
    decoder.dispose();
  });
});
