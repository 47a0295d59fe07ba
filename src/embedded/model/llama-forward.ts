import type { LlamaConfig } from './llama-config';
import { linear, rmsNorm, rotate, swiglu } from './llama-layers';
import { EMBEDDING, FINAL_NORM, LM_HEAD, layerNames, tensorShapes } from './tensor-names';
import { type DeviceParams, jit, nn, np, type Tensor, tree } from './tensor-runtime';

/**
 * Rows of the embedding table: ids int32 `[B, T]` → `[B, T, D]`. Consumes both (pass `params[EMBEDDING].ref`).
 *
 * Kept outside the differentiated function on purpose: the library cannot compile the gradient of a lookup. Differentiate
 * with respect to the looked-up x and add `oneHot(ids)ᵀ · gradX` to the embedding's gradient afterwards.
 */
export const embed: (table: Tensor, ids: Tensor) => Tensor = jit((table: Tensor, ids: Tensor) =>
  np.take(table, ids, 0),
);

/**
 * Causal Llama forward over whole sequences: x `[B, T, D]` → logits `[B, T, V]`.
 *
 * Consumes everything: each tensor of `params` exactly once (pass `tree.ref(params)` to keep them), x, cos and sin
 * (`[T, 1, headSize]`, see `ropeTensors`). Differentiable with respect to `params` and `x`.
 */
export function forward(config: LlamaConfig, params: DeviceParams, x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const [batch = 0, length = 0] = x.shape;
  const queryShape = [batch, length, config.heads, config.headSize];
  const kvShape = [batch, length, config.kvHeads, config.headSize];
  let hidden = x;
  for (let layer = 0; layer < config.layers; layer++) {
    const names = layerNames(layer);
    const normed = rmsNorm(hidden.ref, take(params, names.inputNorm), config.rmsEps);
    const query = rotate(linear(normed.ref, take(params, names.q)).reshape(queryShape), cos.ref, sin.ref);
    const key = rotate(linear(normed.ref, take(params, names.k)).reshape(kvShape), cos.ref, sin.ref);
    const value = linear(normed, take(params, names.v)).reshape(kvShape);
    const mixed = nn.dotProductAttention(query, key, value, { isCausal: true });
    hidden = hidden.add(linear(mixed.reshape([batch, length, config.heads * config.headSize]), take(params, names.o)));
    const postNormed = rmsNorm(hidden.ref, take(params, names.postNorm), config.rmsEps);
    hidden = hidden.add(swiglu(postNormed, take(params, names.gate), take(params, names.up), take(params, names.down)));
  }
  cos.dispose();
  sin.dispose();
  return outputLogits(config, params, hidden);
}

/** Final norm and output head. Consumes hidden, the norm, and both embedding tables. */
function outputLogits(config: LlamaConfig, params: DeviceParams, hidden: Tensor): Tensor {
  const normed = rmsNorm(hidden, take(params, FINAL_NORM), config.rmsEps);
  if (config.tiedEmbeddings) return linear(normed, take(params, EMBEDDING));
  take(params, EMBEDDING).dispose();
  return linear(normed, take(params, LM_HEAD));
}

/** Moves checkpoint tensors to the tensor library. The caller owns the result; end it with `disposeParams`. */
export function toDevice(config: LlamaConfig, host: Readonly<Record<string, Float32Array>>): DeviceParams {
  const params: DeviceParams = {};
  for (const [name, shape] of tensorShapes(config)) {
    const data = host[name];
    if (data === undefined) throw new Error(`tensor ${name} is absent`);
    params[name] = np.array(data).reshape([...shape]);
  }
  return params;
}

/** Copies parameters back to the host. Does not consume them. */
export async function toHost(params: DeviceParams): Promise<Record<string, Float32Array>> {
  const host: Record<string, Float32Array> = {};
  // the library hands out a view on WASM memory of unspecified lifetime, hence the copy
  for (const [name, tensor] of Object.entries(params)) host[name] = Float32Array.from(await tensor.ref.data());
  return host;
}

export function disposeParams(params: DeviceParams): void {
  tree.dispose(params);
}

export function take(params: DeviceParams, name: string): Tensor {
  const tensor = params[name];
  if (tensor === undefined) throw new Error(`tensor ${name} is absent`);
  return tensor;
}
