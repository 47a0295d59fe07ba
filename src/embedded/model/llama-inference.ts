import { rmsNormFixedOrder, sumFixedOrder } from './fixed-order';
import type { LlamaConfig } from './llama-config';
import { outputLogits, take } from './llama-forward';
import { linear, rotate, swiglu } from './llama-layers';
import { layerNames } from './tensor-names';
import { type DeviceParams, jit, np, type Tensor } from './tensor-runtime';

/** Added to scores of positions that must not be seen; its exponential is exactly 0. */
export const HIDDEN_SCORE = -1e9;

/** R rows, each one token: the rows of a batch (decode) or the positions of one prompt (prefill). All consumed. */
export interface RowInputs {
  /** looked-up embeddings `[R, D]` */
  readonly x: Tensor;
  /** decode: `[R, 1, 1, C]`, which cached positions are in use. Prefill: `[R, 1, 1, R]`, causal. 0 or HIDDEN_SCORE */
  readonly bias: Tensor;
  /** `[R, 1, headSize]` at each row's position */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Per layer `[R, kvHeads, C, headSize]`. Consumed. */
export interface CacheInputs {
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
}

/** Logits `[R, V]` and the rows' own keys and values `[layers, R, kvHeads · headSize]`. The caller owns all three. */
export type RowOutputs = {
  readonly logits: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
};

export type Prefill = (params: DeviceParams, rows: RowInputs) => RowOutputs;
export type DecodeStep = (params: DeviceParams, rows: RowInputs, cache: CacheInputs) => RowOutputs;

/** All positions of one prompt at once. Compiles once per R. */
export function makePrefill(config: LlamaConfig): Prefill {
  return jit((params: DeviceParams, rows: RowInputs) =>
    runLayers(config, params, rows, (query, key, value) => attendWithin(query, key, value, rows.bias.ref)),
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
      return attendCached(query, key, value, { keys, values, bias: rows.bias.ref });
    }),
  ) as DecodeStep;
}

type Attend = (query: Tensor, key: Tensor, value: Tensor, layer: number) => Tensor;

/** The layers around a given attention; query is `[R, kvHeads, group, headSize]`, scaled; the result has the same shape. */
function runLayers(config: LlamaConfig, params: DeviceParams, rows: RowInputs, attend: Attend): RowOutputs {
  const { heads, kvHeads, headSize, rmsEps } = config;
  const [count = 0] = rows.x.shape;
  const newKeys: Tensor[] = [];
  const newValues: Tensor[] = [];
  let hidden = rows.x;
  for (let layer = 0; layer < config.layers; layer++) {
    const names = layerNames(layer);
    const normed = rmsNormFixedOrder(hidden.ref, take(params, names.inputNorm), rmsEps);
    const project = (name: string, width: number) =>
      linear(normed.ref, take(params, name)).reshape([count, width, headSize]);
    const query = rotate(project(names.q, heads), rows.cos.ref, rows.sin.ref).mul(headSize ** -0.5);
    const key = rotate(project(names.k, kvHeads), rows.cos.ref, rows.sin.ref);
    const value = project(names.v, kvHeads);
    normed.dispose();
    newKeys.push(key.ref.reshape([count, kvHeads * headSize]));
    newValues.push(value.ref.reshape([count, kvHeads * headSize]));
    const mixed = attend(query.reshape([count, kvHeads, heads / kvHeads, headSize]), key, value, layer);
    hidden = hidden.add(linear(mixed.reshape([count, heads * headSize]), take(params, names.o)));
    const postNormed = rmsNormFixedOrder(hidden.ref, take(params, names.postNorm), rmsEps);
    hidden = hidden.add(swiglu(postNormed, take(params, names.gate), take(params, names.up), take(params, names.down)));
  }
  rows.bias.dispose();
  rows.cos.dispose();
  rows.sin.dispose();
  const logits = outputLogits(config, params, hidden, rmsNormFixedOrder);
  return { logits, keys: np.stack(newKeys), values: np.stack(newValues) };
}

/**
 * Attention of one new token per row over its cached positions and itself. The own position comes last in every sum, as it
 * does in a causal whole-prompt pass, so that prefill and decode round alike.
 */
function attendCached(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  cache: { readonly keys: Tensor; readonly values: Tensor; readonly bias: Tensor },
): Tensor {
  const [rows = 0, kvHeads = 0, , headSize = 0] = query.shape;
  const scores = np.einsum('rkgd,rkcd->rkgc', query.ref, cache.keys).add(cache.bias);
  const ownScore = query.mul(key.reshape([rows, kvHeads, 1, headSize])).sum(-1, { keepdims: true });
  const top = np.maximum(scores.ref.max(-1, { keepdims: true }), ownScore.ref);
  const powers = np.exp(scores.sub(top.ref));
  const ownPower = np.exp(ownScore.sub(top));
  const total = sumFixedOrder(powers.ref).add(ownPower.ref);
  const mixed = np.einsum('rkgc,rkcd->rkgd', powers.div(total.ref), cache.values);
  return mixed.add(ownPower.div(total).mul(value.reshape([rows, kvHeads, 1, headSize])));
}

/** The same over the positions of one prompt: every row sees one shared cache, cut off by the causal bias. */
function attendWithin(query: Tensor, key: Tensor, value: Tensor, bias: Tensor): Tensor {
  const scores = np.einsum('rkgd,rkcd->rkgc', query, sharedByRows(key)).add(bias);
  const powers = np.exp(scores.ref.sub(scores.max(-1, { keepdims: true })));
  return np.einsum('rkgc,rkcd->rkgd', powers.ref.div(sumFixedOrder(powers)), sharedByRows(value));
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
