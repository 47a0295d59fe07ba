import type { LlamaConfig } from './llama-config';
import { embed, forward, take } from './llama-forward';
import { EMBEDDING } from './tensor-names';
import { type DeviceParams, jit, nn, np, type Tensor, tree, valueAndGrad } from './tensor-runtime';

/** Next-token prediction over B rows of T positions. All consumed by the gradient function. */
export interface CrossEntropyBatch {
  /** int32 `[B, T]`: what the model reads */
  readonly ids: Tensor;
  /** int32 `[B, T]`: the token that follows each position */
  readonly targets: Tensor;
  /** float32 `[B, T]`: how much each position counts; make them sum to 1 for a mean, 0 leaves a position out */
  readonly weights: Tensor;
  /** `[T, 1, headSize]`, see `ropeTensors` */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Loss (scalar) and complete gradients, the embedding's lookup part included. The caller owns both. */
export interface LossAndGradients {
  readonly loss: Tensor;
  readonly gradients: DeviceParams;
}

export type CrossEntropyGradient = (params: DeviceParams, batch: CrossEntropyBatch) => LossAndGradients;

/** Natural log-probability of each target under its logits: `[B, T, V]`, `[B, T]` → `[B, T]`. Consumes both. */
export function tokenLogprobs(logits: Tensor, targets: Tensor): Tensor {
  const vocabSize = logits.shape[logits.shape.length - 1] ?? 0;
  // a one-hot product, because the library cannot compile the gradient of a lookup
  return nn.logSoftmax(logits, -1).mul(nn.oneHot(targets, vocabSize)).sum(-1);
}

/** −Σ weights · log p(target). Consumes everything; differentiable by params and x. */
export function crossEntropyLoss(
  config: LlamaConfig,
  params: DeviceParams,
  x: Tensor,
  batch: Omit<CrossEntropyBatch, 'ids'>,
): Tensor {
  const logits = forward(config, params, x, batch.cos, batch.sin);
  return tokenLogprobs(logits, batch.targets).mul(batch.weights).sum().mul(-1);
}

/**
 * The loss with its gradients, compiled once per (B, T). Does not consume `params`.
 *
 * The lookup stays outside the differentiated function: its gradient does not compile, and a one-hot product inside gets
 * fused into one kernel that takes half the step. So x is differentiated too and carried back by {@link addLookupGradient}.
 */
export function makeCrossEntropyGradient(config: LlamaConfig): CrossEntropyGradient {
  const lossOf = (params: DeviceParams, x: Tensor, targets: Tensor, weights: Tensor, cos: Tensor, sin: Tensor) =>
    crossEntropyLoss(config, params, x, { targets, weights, cos, sin });
  const compiled = jit(
    (params: DeviceParams, x: Tensor, targets: Tensor, weights: Tensor, cos: Tensor, sin: Tensor) =>
      valueAndGrad(lossOf, { argnums: [0, 1] })(params, x, targets, weights, cos, sin) as never,
  ) as unknown as (...inputs: Parameters<typeof lossOf>) => [Tensor, [DeviceParams, Tensor]];
  return (params, { ids, targets, weights, cos, sin }) => {
    const x = embed(take(params, EMBEDDING).ref, ids.ref);
    const [loss, [gradients, gradX]] = compiled(tree.ref(params), x, targets, weights, cos, sin);
    return { loss, gradients: addLookupGradient(gradients, ids, gradX) };
  };
}

/**
 * Adds what reached the looked-up rows to the embedding's gradient: `oneHot(ids)ᵀ · gradX`.
 * ids int32 `[B, T]`, gradX `[B, T, D]`. Consumes all three and returns the complete gradients.
 */
export function addLookupGradient(gradients: DeviceParams, ids: Tensor, gradX: Tensor): DeviceParams {
  return { ...gradients, [EMBEDDING]: scatterAdd(take(gradients, EMBEDDING), ids, gradX) };
}

const scatterAdd = jit((table: Tensor, ids: Tensor, gradX: Tensor): Tensor => {
  const [vocabSize = 0, width = 0] = table.shape;
  const oneHot = nn.oneHot(ids.reshape([-1]), vocabSize);
  return table.add(np.dot(oneHot.transpose(), gradX.reshape([-1, width])));
});
