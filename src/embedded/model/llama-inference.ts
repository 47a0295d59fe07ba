import { rmsNormFixedOrder } from './fixed-order';
import type { LlamaConfig } from './llama-config';
import { take } from './llama-forward';
import { linear } from './llama-layers';
import { EMBEDDING, FINAL_NORM, LM_HEAD, layerNames } from './tensor-names';
import { type DeviceParams, jit, nn, np, type Tensor, tree } from './tensor-runtime';

/** What turns a hidden state into queries, keys and values: q, k and v in one tensor, since one product is faster than three. */
export type ProjectionWeights = { readonly norm: Tensor; readonly qkv: Tensor };

/** What follows a layer's attention. Gate and up in one tensor, which also keeps the exponentials of silu out of the product's loop. */
export type MlpWeights = { readonly o: Tensor; readonly norm: Tensor; readonly gateUp: Tensor; readonly down: Tensor };

export type HeadWeights = { readonly norm: Tensor; readonly head: Tensor };

/** Weights as steps take them. The embedding shares its memory with a tied head. */
export type StepWeights = {
  readonly embedding: Tensor;
  readonly projections: ProjectionWeights[];
  readonly mlps: MlpWeights[];
  readonly head: HeadWeights;
};

/** Consumes the tensors of `params`; end the result with `disposeStepWeights`. */
export function packWeights(config: LlamaConfig, params: DeviceParams): StepWeights {
  const names = Array.from({ length: config.layers }, (_, layer) => layerNames(layer));
  const joined = (...parts: readonly string[]) => np.concatenate(parts.map((name) => take(params, name)));
  const embedding = take(params, EMBEDDING);
  return {
    embedding,
    projections: names.map(({ inputNorm, q, k, v }) => ({ norm: take(params, inputNorm), qkv: joined(q, k, v) })),
    mlps: names.map(({ o, postNorm, gate, up, down }) => ({
      o: take(params, o),
      norm: take(params, postNorm),
      gateUp: joined(gate, up),
      down: take(params, down),
    })),
    head: {
      norm: take(params, FINAL_NORM),
      head: config.tiedEmbeddings ? embedding.ref : take(params, LM_HEAD),
    },
  };
}

export function disposeStepWeights(weights: StepWeights): void {
  tree.dispose(weights);
}

/**
 * A step of R rows, cut where attention comes in, which the host computes over its own cache (see HostAttention). `hidden` is
 * `[R, D]`, `projected` `[R, (heads + 2 · kvHeads) · headSize]`, `mixed` `[R, heads · headSize]`. All consume their arguments and
 * compile once per R; every layer takes the same `between`.
 */
export interface StepParts {
  /** the first layer's projection */
  readonly enter: (hidden: Tensor, projection: ProjectionWeights) => Tensor;
  /** from one layer's attention to the next layer's projection */
  readonly between: (
    hidden: Tensor,
    mixed: Tensor,
    mlp: MlpWeights,
    projection: ProjectionWeights,
  ) => { readonly hidden: Tensor; readonly projected: Tensor };
  /** from the last layer's attention to the logits `[R, V]` */
  readonly leave: (hidden: Tensor, mixed: Tensor, mlp: MlpWeights, head: HeadWeights) => Tensor;
}

export function makeStepParts({ rmsEps, intermediateSize }: LlamaConfig): StepParts {
  const project = (hidden: Tensor, { norm, qkv }: ProjectionWeights) =>
    linear(rmsNormFixedOrder(hidden, norm, rmsEps), qkv);
  const finishLayer = (hidden: Tensor, mixed: Tensor, { o, norm, gateUp, down }: MlpWeights) => {
    const attended = hidden.add(linear(mixed, o));
    const both = linear(rmsNormFixedOrder(attended.ref, norm, rmsEps), gateUp);
    const gate = both.ref.slice([], [0, intermediateSize]);
    const up = both.slice([], [intermediateSize, 2 * intermediateSize]);
    return attended.add(linear(nn.silu(gate).mul(up), down));
  };
  return {
    enter: jit(project),
    between: jit((hidden: Tensor, mixed: Tensor, mlp: MlpWeights, projection: ProjectionWeights) => {
      const next = finishLayer(hidden, mixed, mlp);
      return { hidden: next.ref, projected: project(next, projection) };
    }),
    leave: jit((hidden: Tensor, mixed: Tensor, mlp: MlpWeights, { norm, head }: HeadWeights) =>
      linear(rmsNormFixedOrder(finishLayer(hidden, mixed, mlp), norm, rmsEps), head),
    ),
  };
}
