import './polyfills';
import { defaultDevice, init } from '@jax-js/jax';
import { reuseKernelInstances } from './kernel-instances';

/**
 * The door to the tensor library: everything under `model/` imports it from here, so that the polyfills always run first,
 * and nothing outside `model/` imports it at all.
 *
 * Ownership, the rule that every caller must keep: an operation consumes its array arguments. To use an array again
 * pass `array.ref`; to drop one that no operation consumes call `array.dispose()`. A missing `.ref` throws on the next use,
 * a superfluous one leaks WASM memory, which never shrinks. `await array.data()` consumes the array as well.
 */
export { blockUntilReady, jit, lax, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';

import type { numpy } from '@jax-js/jax';

/** An array on the tensor library's side. */
export type Tensor = numpy.Array;

/** Named parameters of a model; names and shapes as `tensorShapes` gives them. */
export type DeviceParams = Record<string, Tensor>;

let starting: Promise<void> | undefined;

/** Starts the WASM backend once per process; every entry awaits it before the first tensor is made. */
export function startTensorRuntime(): Promise<void> {
  starting ??= start();
  return starting;
}

async function start(): Promise<void> {
  // the global exists in every Node; its types come only with the web page's
  reuseKernelInstances(
    (globalThis as unknown as { WebAssembly: Parameters<typeof reuseKernelInstances>[0] }).WebAssembly,
  );
  // plain init() probes `navigator`, which Node 18 and 20 do not have
  const devices = await init('wasm');
  if (!devices.includes('wasm')) throw new Error('the tensor library could not start its WebAssembly backend');
  defaultDevice('wasm');
}
