import { addLookupGradient } from './cross-entropy-loss';
import type { LlamaConfig } from './llama-config';
import { embed, take } from './llama-forward';
import { logDistribution, makeForwardInputs, pickLogprobs, type TokenRows } from './log-probs';
import { EMBEDDING } from './tensor-names';
import { type DeviceParams, jit, lax, np, type Tensor, tree, valueAndGrad } from './tensor-runtime';

/** What to do with a token whose proximal / behaviour ratio exceeds the cap. */
export type BehaviourWeight = 'mask' | 'truncate' | 'off';

/** B × T host arrays, row-major like {@link TokenRows}; 0 wherever `weights` is 0. */
export interface PolicyRows extends TokenRows {
  /** weight of each token in the loss, 1/D shared out; 0 = prompt, padding or rejected */
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly behave: Float32Array;
  readonly reference: Float32Array;
  /** null = the log-probabilities of this very pass, without gradient: exact at the first pass over a batch, and free */
  readonly proximal: Float32Array | null;
}

/** Numbers that may differ from step to step without compiling anew. */
export interface PolicyLossNumbers {
  readonly clipLow: number;
  readonly clipHigh: number;
  /** null = off */
  readonly dualClip: number | null;
  readonly behaveCap: number;
  readonly klBeta: number;
}

export interface PolicyGradient {
  readonly loss: number;
  /** complete, the embedding's lookup part included; owned by the caller */
  readonly gradients: DeviceParams;
  /** new log-probability of each target and entropy of each distribution, B × T */
  readonly logprobs: Float32Array;
  readonly entropy: Float32Array;
}

/** Does not consume `params`; compiled once per (B, T). */
export type PolicyGradientOf = (
  params: DeviceParams,
  rows: PolicyRows,
  numbers: PolicyLossNumbers,
) => Promise<PolicyGradient>;

const LOG_RATIO_LIMIT = 20;
const KL_LOG_RATIO_LIMIT = 3;
/** stands for "no dual clip": −A · this is never reached, and is still a finite float32 */
const NO_BOUND = 1e30;

/**
 * Decoupled PPO with dual clip, behaviour weight and k3 KL to the reference, as gradients with respect to every parameter.
 *
 * Gradients of several microbatches add up to the gradient of the batch, because `weights` are shares of the whole batch.
 * The lookup stays outside the differentiated function for the reason given at `makeCrossEntropyGradient`.
 */
export function makePolicyGradient(config: LlamaConfig, behaveWeight: BehaviourWeight): PolicyGradientOf {
  const inputsOf = makeForwardInputs(config);
  const lossOf = (params: DeviceParams, x: Tensor, inputs: PassInputs): [Tensor, PassAux] => {
    const distribution = logDistribution(config, params, x, inputs.inverse, inputs.cos, inputs.sin);
    const entropy = entropyOf(lax.stopGradient(distribution.ref));
    const logprobs = pickLogprobs(distribution, inputs.targets);
    const aux = { logprobs: lax.stopGradient(logprobs.ref), entropy };
    return [policyLoss(behaveWeight, logprobs, inputs), aux];
  };
  const compiled = jit(
    (params: DeviceParams, x: Tensor, inputs: PassInputs) =>
      valueAndGrad(lossOf, { argnums: [0, 1], hasAux: true })(params, x, inputs) as never,
  ) as unknown as (params: DeviceParams, x: Tensor, inputs: PassInputs) => [[Tensor, PassAux], [DeviceParams, Tensor]];
  return async (params, rows, numbers) => {
    const { ids, ...passInputs } = inputsOf(rows);
    const x = embed(take(params, EMBEDDING).ref, ids.ref);
    const inputs = { ...passInputs, ...lossInputs(rows, numbers) };
    const [[loss, aux], [gradients, gradX]] = compiled(tree.ref(params), x, inputs);
    return {
      loss: (await loss.data())[0] ?? Number.NaN,
      gradients: addLookupGradient(gradients, ids, gradX),
      logprobs: Float32Array.from(await aux.logprobs.data()),
      entropy: Float32Array.from(await aux.entropy.data()),
    };
  };
}

/** Global L2 norm of the gradients, for the guard that looks before the optimizer leaps. Does not consume them. */
export async function gradientNorm(gradients: DeviceParams): Promise<number> {
  const norm = await normOf(tree.ref(gradients)).data();
  return norm[0] ?? Number.NaN;
}

const normOf = jit((gradients: DeviceParams): Tensor => {
  const squares = Object.values(gradients).map((gradient) => gradient.ref.mul(gradient).sum());
  return np.sqrt(squares.reduce((total, square) => total.add(square)));
});

type LossInputs = {
  readonly weights: Tensor;
  readonly advantages: Tensor;
  readonly behave: Tensor;
  readonly reference: Tensor;
  readonly proximal: Tensor;
  /** [1 − clip low, 1 + clip high, dual clip, cap, β, 1 = proximal is this pass] */
  readonly numbers: Tensor;
};
type PassInputs = LossInputs & {
  readonly targets: Tensor;
  readonly inverse: Tensor;
  readonly cos: Tensor;
  readonly sin: Tensor;
};
type PassAux = { readonly logprobs: Tensor; readonly entropy: Tensor };

function lossInputs(rows: PolicyRows, numbers: PolicyLossNumbers): LossInputs {
  const shaped = (values: Float32Array): Tensor => np.array(values).reshape([rows.rows, rows.length]);
  const { clipLow, clipHigh, dualClip, behaveCap, klBeta } = numbers;
  const scalars = [1 - clipLow, 1 + clipHigh, dualClip ?? NO_BOUND, behaveCap, klBeta, rows.proximal === null ? 1 : 0];
  return {
    weights: shaped(rows.weights),
    advantages: shaped(rows.advantages),
    behave: shaped(rows.behave),
    reference: shaped(rows.reference),
    proximal: shaped(rows.proximal ?? new Float32Array(rows.rows * rows.length)),
    numbers: np.array(Float32Array.from(scalars)),
  };
}

/** Consumes everything; differentiable by logprobs. The rule in plain float64 is `tokenTerm` of the trainer. */
function policyLoss(behaveWeight: BehaviourWeight, logprobs: Tensor, inputs: LossInputs): Tensor {
  const { advantages, numbers } = inputs;
  const [low, high, dual, cap, beta, own] = [0, 1, 2, 3, 4, 5].map((i) => numbers.ref.slice(i)) as Scalars;
  numbers.dispose();
  const fromThisPass = lax.stopGradient(logprobs.ref).mul(own.ref);
  const proximal = fromThisPass.add(inputs.proximal.mul(own.mul(-1).add(1)));
  const ratio = np.exp(clampLog(logprobs.ref.sub(proximal.ref), LOG_RATIO_LIMIT));
  const behaveRatio = np.exp(clampLog(proximal.sub(inputs.behave), LOG_RATIO_LIMIT));
  const cost = advantages.ref.mul(-1);
  const unclipped = cost.ref.mul(ratio.ref);
  const clipped = cost.ref.mul(np.clip(ratio, low, high));
  const pessimistic = np.maximum(unclipped, clipped);
  const bounded = np.minimum(pessimistic.ref, cost.mul(dual));
  const surrogate = np.where(advantages.less(0), bounded, pessimistic);
  const d = clampLog(inputs.reference.sub(logprobs), KL_LOG_RATIO_LIMIT);
  const kl = np.exp(d.ref).sub(1).sub(d);
  const perToken = surrogate.add(kl.mul(beta)).mul(weightOf(behaveWeight, behaveRatio, cap));
  return perToken.mul(inputs.weights).sum();
}

type Scalars = [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];

function weightOf(behaveWeight: BehaviourWeight, ratio: Tensor, cap: Tensor): Tensor {
  switch (behaveWeight) {
    case 'mask':
      return np.where(ratio.ref.greater(cap), 0, ratio);
    case 'truncate':
      return np.minimum(ratio, cap);
    case 'off':
      cap.dispose();
      return np.where(ratio.greater(0), 1, 1);
  }
}

/** −Σ p log p over the last axis. */
function entropyOf(distribution: Tensor): Tensor {
  return np.exp(distribution.ref).mul(distribution).sum(-1).mul(-1);
}

function clampLog(x: Tensor, limit: number): Tensor {
  return np.clip(x, -limit, limit);
}
