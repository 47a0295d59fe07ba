import { nn, np, type Tensor } from './tensor-runtime';

/** x / sqrt(mean(x²) + eps) · weight over the last axis. Consumes both. */
export function rmsNorm(x: Tensor, weight: Tensor, eps: number): Tensor {
  const meanSquare = x.ref.mul(x.ref).mean(-1, { keepdims: true });
  return x.div(np.sqrt(meanSquare.add(eps))).mul(weight);
}

/** x · weightᵀ with weight `[out, in]` as HF stores it. Consumes both. */
export function linear(x: Tensor, weight: Tensor): Tensor {
  return np.dot(x, weight.transpose());
}

/** Rotary positions in HF's half-split layout. Consumes x, cos and sin. */
export function rotate(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
  const [first, second] = np.split(x.ref, 2, -1);
  if (first === undefined || second === undefined) throw new Error('rotary split did not give two halves');
  const turned = np.concatenate([second.mul(-1), first], -1);
  return x.mul(cos).add(turned.mul(sin));
}

/** SwiGLU: (silu(x·gateᵀ) · x·upᵀ)·downᵀ. Consumes all. */
export function swiglu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor): Tensor {
  return linear(nn.silu(linear(x.ref, gate)).mul(linear(x, up)), down);
}
