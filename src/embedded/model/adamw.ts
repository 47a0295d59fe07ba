import type { LlamaConfig } from './llama-config';
import { take } from './llama-forward';
import { tensorShapes } from './tensor-names';
import { type DeviceParams, jit, np, type Tensor } from './tensor-runtime';

/** Settings that shape the compiled update; they stay fixed for an optimizer's life. */
export interface AdamWOptions {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** Settings that may change from step to step without compiling anew. */
export interface AdamWStep {
  readonly learningRate: number;
  /** largest global L2 norm of the gradients; larger ones are scaled down to it. Default 1 */
  readonly gradientClip?: number;
  /** decoupled (not added to the gradient); matrices only, never the norms. Default 0 */
  readonly weightDecay?: number;
}

/** First and second moments, named and shaped like the parameters. `step` counts the updates made. */
export interface AdamWState {
  readonly step: number;
  readonly m: DeviceParams;
  readonly v: DeviceParams;
}

export interface AdamWResult {
  readonly params: DeviceParams;
  readonly state: AdamWState;
  /** global L2 norm before clipping, a scalar; the caller owns it */
  readonly gradientNorm: Tensor;
}

/** Consumes params, gradients and the state's moments; the caller owns what comes back. */
export type AdamW = (
  params: DeviceParams,
  gradients: DeviceParams,
  state: AdamWState,
  settings: AdamWStep,
) => AdamWResult;

/**
 * AdamW with a global gradient-norm clip; compiled at the first call.
 *
 * @remarks Loshchilov & Hutter, arXiv:1711.05101, algorithm 2, with the schedule folded into the learning rate. Clipping
 * scales by clip / (norm + 1e-6), as PyTorch's `clip_grad_norm_` does.
 */
export function makeAdamW({ beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8 }: AdamWOptions = {}): AdamW {
  const compiled = jit((params: DeviceParams, gradients: DeviceParams, m: DeviceParams, v: DeviceParams, s: Tensor) =>
    update({ beta1, beta2, epsilon }, { params, gradients, m, v, scalars: s }),
  );
  return (params, gradients, state, { learningRate, gradientClip = 1, weightDecay = 0 }) => {
    const step = state.step + 1;
    // bias corrections and rates travel as one small tensor, else every step would be a new constant to compile
    const scalars = [learningRate, 1 - beta1 ** step, 1 - beta2 ** step, gradientClip, learningRate * weightDecay];
    const result = compiled(params, gradients, state.m, state.v, np.array(Float32Array.from(scalars)));
    const [newParams, m, v, gradientNorm] = result as unknown as [DeviceParams, DeviceParams, DeviceParams, Tensor];
    return { params: newParams, state: { step, m, v }, gradientNorm };
  };
}

/** Moments of an optimizer that has made no step. */
export function zeroState(config: LlamaConfig): AdamWState {
  const zeros = (): DeviceParams =>
    Object.fromEntries([...tensorShapes(config)].map(([name, shape]) => [name, np.zeros([...shape])]));
  return { step: 0, m: zeros(), v: zeros() };
}

/** Element-wise sum of two gradient maps, for accumulation over microbatches. Consumes both. */
export function addGradients(left: DeviceParams, right: DeviceParams): DeviceParams {
  return sumMaps(left, right) as DeviceParams;
}

const sumMaps = jit((left: DeviceParams, right: DeviceParams): DeviceParams => {
  const sum: DeviceParams = {};
  for (const name of Object.keys(left)) sum[name] = take(left, name).add(take(right, name));
  return sum;
});

interface UpdateInputs {
  readonly params: DeviceParams;
  readonly gradients: DeviceParams;
  readonly m: DeviceParams;
  readonly v: DeviceParams;
  readonly scalars: Tensor;
}

function update(
  { beta1, beta2, epsilon }: Required<AdamWOptions>,
  { params, gradients, m, v, scalars }: UpdateInputs,
): [DeviceParams, DeviceParams, DeviceParams, Tensor] {
  const names = Object.keys(params);
  const [rate, correction1, correction2, clip] = [0, 1, 2, 3].map((i) => scalars.ref.slice(i)) as Quadruple;
  const decay = scalars.slice(4);
  const squares = names.map((name) => {
    const gradient = take(gradients, name);
    return gradient.ref.mul(gradient.ref).sum();
  });
  const norm = np.sqrt(squares.reduce((total, square) => total.add(square)));
  const scale = np.minimum(clip.div(norm.ref.add(1e-6)), 1);
  const [newParams, newM, newV]: [DeviceParams, DeviceParams, DeviceParams] = [{}, {}, {}];
  for (const name of names) {
    const gradient = take(gradients, name).mul(scale.ref);
    const mean = take(m, name)
      .mul(beta1)
      .add(gradient.ref.mul(1 - beta1));
    const square = take(v, name)
      .mul(beta2)
      .add(gradient.ref.mul(gradient).mul(1 - beta2));
    const direction = mean.ref.div(correction1.ref).div(np.sqrt(square.ref.div(correction2.ref)).add(epsilon));
    const weight = take(params, name);
    const isMatrix = weight.shape.length > 1;
    const kept = isMatrix ? weight.ref.sub(weight.mul(decay.ref)) : weight;
    newParams[name] = kept.sub(direction.mul(rate.ref));
    newM[name] = mean;
    newV[name] = square;
  }
  for (const scalar of [rate, correction1, correction2, scale, decay]) scalar.dispose();
  return [newParams, newM, newV, norm];
}

type Quadruple = [Tensor, Tensor, Tensor, Tensor];
