import type { LlamaConfig } from './llama-config';
import { embed, forward, take } from './llama-forward';
import { type RopeTable, ropeTable, ropeTensors } from './rope';
import { EMBEDDING } from './tensor-names';
import { type DeviceParams, jit, nn, np, type Tensor, tree } from './tensor-runtime';

/** B rows of T positions on the host, row-major. Position t reads `ids` and is judged on `targets`, the token after it. */
export interface TokenRows {
  readonly rows: number;
  readonly length: number;
  /** int32 B × T; any valid id where there is nothing to read */
  readonly ids: Int32Array;
  readonly targets: Int32Array;
  /** per row, > 0: logits are divided by it, as the sampler did */
  readonly temperatures: Float32Array;
}

/** Log-probability of every target, B × T. Does not consume `params`; compiled once per (B, T). */
export type TokenLogprobs = (params: DeviceParams, rows: TokenRows) => Promise<Float32Array>;

/** A forward pass without gradients, for the frozen reference weights. */
export function makeTokenLogprobs(config: LlamaConfig): TokenLogprobs {
  const inputsOf = makeForwardInputs(config);
  const compiled = jit(
    (params: DeviceParams, x: Tensor, targets: Tensor, inverse: Tensor, cos: Tensor, sin: Tensor): Tensor =>
      pickLogprobs(logDistribution(config, params, x, inverse, cos, sin), targets),
  );
  return async (params, rows) => {
    const { ids, targets, inverse, cos, sin } = inputsOf(rows);
    const x = embed(take(params, EMBEDDING).ref, ids);
    const logprobs = compiled(tree.ref(params), x, targets, inverse, cos, sin);
    // a view on WASM memory, hence the copy
    return Float32Array.from(await logprobs.data());
  };
}

/** What every pass over rows needs on the tensor side; all owned by the caller. */
export interface ForwardInputs {
  readonly ids: Tensor;
  readonly targets: Tensor;
  /** `[B, 1, 1]`, 1 / temperature */
  readonly inverse: Tensor;
  readonly cos: Tensor;
  readonly sin: Tensor;
}

export function makeForwardInputs(config: LlamaConfig): (rows: TokenRows) => ForwardInputs {
  let table: RopeTable = ropeTable(config, config.maxPositions);
  return ({ rows, length, ids, targets, temperatures }) => {
    if (length > table.positions) table = ropeTable(config, length);
    return {
      ids: np.array(ids).reshape([rows, length]),
      targets: np.array(targets).reshape([rows, length]),
      inverse: np.array(temperatures.map((temperature) => 1 / temperature)).reshape([rows, 1, 1]),
      ...ropeTensors(table, length),
    };
  };
}

/** Log-softmax over the vocabulary after the temperature: `[B, T, V]`. Consumes everything. */
export function logDistribution(
  config: LlamaConfig,
  params: DeviceParams,
  x: Tensor,
  inverse: Tensor,
  cos: Tensor,
  sin: Tensor,
): Tensor {
  return nn.logSoftmax(forward(config, params, x, cos, sin).mul(inverse), -1);
}

/** `[B, T, V]`, `[B, T]` → `[B, T]`. Consumes both. */
export function pickLogprobs(distribution: Tensor, targets: Tensor): Tensor {
  const vocabSize = distribution.shape[distribution.shape.length - 1] ?? 0;
  // a one-hot product, because the library cannot compile the gradient of a lookup
  return distribution.mul(nn.oneHot(targets, vocabSize)).sum(-1);
}
