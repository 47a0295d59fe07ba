import { rmsNormFixedOrder, sumFixedOrder } from './fixed-order';
import type { LlamaConfig } from './llama-config';
import { outputLogits, take } from './llama-forward';
import { linear, rotateSigned } from './llama-layers';
import { layerNames } from './tensor-names';
import { type DeviceParams, jit, nn, np, type Tensor } from './tensor-runtime';

/** Added to scores of positions that must not be seen; its exponential is exactly 0. */
export const HIDDEN_SCORE = -1e9;

/** R rows, each one token: the rows of a batch (decode) or the positions of one prompt (prefill). All consumed. */
export interface RowInputs {
  /** looked-up embeddings `[R, D]` */
  readonly x: Tensor;
  /** decode: `[R, 1, 1, C]`, which cached positions are in use. Prefill: `[R, 1, 1, R]`, earlier positions only. 0 or HIDDEN_SCORE */
  readonly bias: Tensor;
  /** `[R, 1, headSize]` at each row's position; of the sines the first half is negated, see rotateSigned */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Per layer `[R, kvHeads, C, headSize]`. Consumed. */
export interface CacheInputs {
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
}

/**
 * Logits `[R, V]` and, per layer, what the rows' own keys and values are part of: `turned` is `[R, heads + kvHeads, headSize]`, queries
 * then keys at their positions; `projected` is `[R, (heads + 2 · kvHeads) · headSize]`, the values at its end. The caller owns all.
 * Whole kernel outputs, because cutting the parts out on this side takes a kernel each.
 */
export type RowOutputs = {
  readonly logits: Tensor;
  readonly turned: Tensor[];
  readonly projected: Tensor[];
};

export type Prefill = (params: DeviceParams, rows: RowInputs) => RowOutputs;
export type DecodeStep = (params: DeviceParams, rows: RowInputs, cache: CacheInputs) => RowOutputs;

/**
 * Weights as a step takes them: q, k and v of a layer in one tensor, since one product is faster than three; gate and up likewise, which
 * also keeps the exponentials of silu out of the product's loop. Consumes the tensors of `params`; the caller owns the result.
 */
export function packParams(config: LlamaConfig, params: DeviceParams): DeviceParams {
  const packed = { ...params };
  for (let layer = 0; layer < config.layers; layer++) {
    const { q, k, v, gate, up } = layerNames(layer);
    packed[packedName(layer)] = np.concatenate([take(packed, q), take(packed, k), take(packed, v)]);
    packed[packedMlpName(layer)] = np.concatenate([take(packed, gate), take(packed, up)]);
    for (const name of [q, k, v, gate, up]) delete packed[name];
  }
  return packed;
}

function packedName(layer: number): string {
  return `packed.layers.${layer}.qkv`;
}

function packedMlpName(layer: number): string {
  return `packed.layers.${layer}.gate-up`;
}

/** All positions of one prompt at once. Compiles once per R. */
export function makePrefill(config: LlamaConfig): Prefill {
  return jit((params: DeviceParams, rows: RowInputs) =>
    runLayers(config, params, rows, (query, key, value) => {
      const cache = { keys: sharedByRows(key.ref), values: sharedByRows(value.ref), bias: rows.bias.ref };
      return attend(query, key, value, cache);
    }),
  ) as Prefill;
}

/**
 * One token for each of R rows against a cache that the host owns: the cache is copied in and only the new rows come
 * back, which beats rewriting a device cache by a mask. Compiles once per (R, C).
 */
export function makeDecodeStep(config: LlamaConfig): DecodeStep {
  return jit((params: DeviceParams, rows: RowInputs, cache: CacheInputs) =>
    runLayers(config, params, rows, (query, key, value, layer) => {
      const keys = cache.keys[layer];
      const values = cache.values[layer];
      if (keys === undefined || values === undefined) throw new Error(`cache of layer ${layer} is absent`);
      return attend(query, key, value, { keys, values, bias: rows.bias.ref });
    }),
  ) as DecodeStep;
}

type Attention = (query: Tensor, key: Tensor, value: Tensor, layer: number) => Tensor;

/** The layers around a given attention; query is `[R, kvHeads, group, headSize]`; the result has the same shape. */
function runLayers(config: LlamaConfig, params: DeviceParams, rows: RowInputs, attention: Attention): RowOutputs {
  const { heads, kvHeads, headSize, intermediateSize, rmsEps } = config;
  const [count = 0] = rows.x.shape;
  const outputs: Pick<RowOutputs, 'turned' | 'projected'> = { turned: [], projected: [] };
  let hidden = rows.x;
  for (let layer = 0; layer < config.layers; layer++) {
    const names = layerNames(layer);
    const normed = rmsNormFixedOrder(hidden.ref, take(params, names.inputNorm), rmsEps);
    const flat = linear(normed, take(params, packedName(layer)));
    outputs.projected.push(flat.ref);
    const projected = flat.reshape([count, heads + 2 * kvHeads, headSize]);
    const turned = rotateSigned(projected.ref.slice([], [0, heads + kvHeads]), rows.cos.ref, rows.sin.ref);
    outputs.turned.push(turned.ref);
    const query = turned.ref.slice([], [0, heads]).reshape([count, kvHeads, heads / kvHeads, headSize]);
    const key = turned.slice([], [heads, heads + kvHeads]);
    const value = projected.slice([], [heads + kvHeads, heads + 2 * kvHeads]);
    const mixed = attention(query, key, value, layer);
    hidden = hidden.add(linear(mixed.reshape([count, heads * headSize]), take(params, names.o)));
    const postNormed = rmsNormFixedOrder(hidden.ref, take(params, names.postNorm), rmsEps);
    const both = linear(postNormed, take(params, packedMlpName(layer)));
    const gate = both.ref.slice([], [0, intermediateSize]);
    const up = both.slice([], [intermediateSize, 2 * intermediateSize]);
    hidden = hidden.add(linear(nn.silu(gate).mul(up), take(params, names.down)));
  }
  rows.bias.dispose();
  rows.cos.dispose();
  rows.sin.dispose();
  return { logits: outputLogits(config, params, hidden, rmsNormFixedOrder), ...outputs };
}

/**
 * Attention of each row over its cached positions and itself. The own position is kept apart from the others and comes last;
 * prefill goes the same way, each position seeing the earlier ones of the prompt as its cache. One and the same
 * order of operations is what makes both round alike, with and without fused multiply-add.
 */
function attend(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  cache: { readonly keys: Tensor; readonly values: Tensor; readonly bias: Tensor },
): Tensor {
  const [rows = 0, kvHeads = 0, , headSize = 0] = query.shape;
  const scale = headSize ** -0.5;
  const scores = np.einsum('rkgd,rkcd->rkgc', query.ref, cache.keys).mul(scale).add(cache.bias);
  const ownScore = sumLast(query.mul(key.reshape([rows, kvHeads, 1, headSize]))).mul(scale);
  const top = np.maximum(scores.ref.max(-1, { keepdims: true }), ownScore.ref);
  const powers = np.exp(scores.sub(top.ref));
  const ownPower = np.exp(ownScore.sub(top));
  const total = sumLast(powers.ref).add(ownPower.ref);
  const mixed = np.einsum('rkgc,rkcd->rkgd', powers, cache.values);
  return mixed.add(ownPower.mul(value.reshape([rows, kvHeads, 1, headSize]))).div(total);
}

/** Sum over the last axis. With four heads or more there are always four sums or more, hence one loop; see fixed-order. */
function sumLast(x: Tensor): Tensor {
  const [, kvHeads = 0, group = 0] = x.shape;
  return kvHeads * group >= 4 ? x.sum(-1, { keepdims: true }) : sumFixedOrder(x);
}

/** `[C, kvHeads, headSize]` seen by each of C rows as its own cache, without a copy. */
function sharedByRows(positions: Tensor): Tensor {
  const [count = 0, kvHeads = 0, headSize = 0] = positions.shape;
  return np.broadcastTo(positions.transpose([1, 0, 2]).reshape([1, kvHeads, count, headSize]), [
    count,
    kvHeads,
    count,
    headSize,
  ]);
}
