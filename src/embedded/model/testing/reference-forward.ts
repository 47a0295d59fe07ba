import type { HostParams } from '../checkpoint';
import type { LlamaConfig } from '../llama-config';
import { EMBEDDING, FINAL_NORM, LM_HEAD, layerNames } from '../tensor-names';

/**
 * The textbook Llama in plain float64 loops, written from the HF definition and sharing no code with the product:
 * the oracle for the tensor version. Logits of every position of one sequence.
 */
export function referenceLogits(config: LlamaConfig, params: HostParams, ids: readonly number[]): Float64Array[] {
  const get = (name: string): Float32Array => {
    const data = params[name];
    if (data === undefined) throw new Error(`tensor ${name} is absent`);
    return data;
  };
  const table = get(EMBEDDING);
  let hidden: Float64Array[] = ids.map((id) =>
    Float64Array.from(table.subarray(id * config.hiddenSize, (id + 1) * config.hiddenSize)),
  );
  for (let layer = 0; layer < config.layers; layer++) {
    const names = layerNames(layer);
    const normed = hidden.map((row) => normalise(row, get(names.inputNorm), config.rmsEps));
    const queries = normed.map((row, t) => turn(config, multiply(get(names.q), row), t));
    const keys = normed.map((row, t) => turn(config, multiply(get(names.k), row), t));
    const values = normed.map((row) => multiply(get(names.v), row));
    hidden = hidden.map((row, t) => add(row, multiply(get(names.o), attend(config, queries[t]!, keys, values, t))));
    hidden = hidden.map((row) => {
      const inner = normalise(row, get(names.postNorm), config.rmsEps);
      const up = multiply(get(names.up), inner);
      const gated = multiply(get(names.gate), inner).map((g, i) => (g / (1 + Math.exp(-g))) * up[i]!);
      return add(row, multiply(get(names.down), gated));
    });
  }
  const head = get(config.tiedEmbeddings ? EMBEDDING : LM_HEAD);
  return hidden.map((row) => multiply(head, normalise(row, get(FINAL_NORM), config.rmsEps)));
}

function attend(
  config: LlamaConfig,
  query: Float64Array,
  keys: readonly Float64Array[],
  values: readonly Float64Array[],
  last: number,
): Float64Array {
  const { heads, kvHeads, headSize } = config;
  const mixed = new Float64Array(heads * headSize);
  for (let head = 0; head < heads; head++) {
    const kv = Math.floor(head / (heads / kvHeads)) * headSize;
    const scores = keys.slice(0, last + 1).map((key) => {
      let dot = 0;
      for (let i = 0; i < headSize; i++) dot += query[head * headSize + i]! * key[kv + i]!;
      return dot / Math.sqrt(headSize);
    });
    const top = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - top));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    weights.forEach((weight, t) => {
      for (let i = 0; i < headSize; i++) mixed[head * headSize + i]! += (weight / total) * values[t]![kv + i]!;
    });
  }
  return mixed;
}

function turn(config: LlamaConfig, row: Float64Array, position: number): Float64Array {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const turned = new Float64Array(row.length);
  for (let start = 0; start < row.length; start += headSize) {
    for (let i = 0; i < half; i++) {
      const angle = position / ropeTheta ** ((2 * i) / headSize);
      const [a, b] = [row[start + i]!, row[start + i + half]!];
      turned[start + i] = a * Math.cos(angle) - b * Math.sin(angle);
      turned[start + i + half] = b * Math.cos(angle) + a * Math.sin(angle);
    }
  }
  return turned;
}

function normalise(row: Float64Array, weight: Float32Array, eps: number): Float64Array {
  const scale = 1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) / row.length + eps);
  return row.map((v, i) => v * scale * weight[i]!);
}

/** weight `[out, in]` · vector */
function multiply(weight: Float32Array, vector: Float64Array): Float64Array {
  const result = new Float64Array(weight.length / vector.length);
  for (let o = 0; o < result.length; o++) {
    for (let i = 0; i < vector.length; i++) result[o]! += weight[o * vector.length + i]! * vector[i]!;
  }
  return result;
}

function add(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((v, i) => v + b[i]!);
}
