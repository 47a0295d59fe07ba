import { np, type Tensor } from './tensor-runtime';

/**
 * Reductions whose rounding does not depend on how many rows run together.
 *
 * The WASM backend picks one of three loops per kernel: scalar, SIMD across outputs, SIMD along the reduced axis. The first two
 * add in index order, the third in four interleaved lanes, and which one is picked depends on the number of outputs: a mean
 * over one row rounds differently from the same mean within four rows. Reducing four identical copies and keeping
 * one always takes an index-order loop. Matrix products need no such care: they always have at least four outputs and reduce along
 * contiguous memory, hence always take the interleaved loop. `decoder.test.ts` proves the whole step, bit for bit.
 */
function sumFixedOrder(x: Tensor): Tensor {
  const outer = x.shape.slice(0, -1);
  const size = x.shape[x.shape.length - 1] ?? 0;
  const copies = np.broadcastTo(x.reshape([...outer, 1, size]), [...outer, 4, size]).sum(-1);
  return copies.slice(...outer.map((): [] => []), [0, 1]);
}

/** As `rmsNorm` of llama-layers, with the sum in fixed order. Consumes both. */
export function rmsNormFixedOrder(x: Tensor, weight: Tensor, eps: number): Tensor {
  const size = x.shape[x.shape.length - 1] ?? 0;
  const meanSquare = sumFixedOrder(x.ref.mul(x.ref)).div(size);
  return x.div(np.sqrt(meanSquare.add(eps))).mul(weight);
}
