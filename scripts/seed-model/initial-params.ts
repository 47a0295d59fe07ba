import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { tensorShapes } from '../../src/embedded/model/tensor-names';
import { seededRandom } from '../../src/embedded/world/random';

const DEVIATION = 0.05;

/** Gaussian weights, norms 1; what writes into the residual stream is scaled down by the number of writers. */
export function initialParams(config: LlamaConfig, seed: number): Record<string, Float32Array> {
  const random = seededRandom(seed, 1);
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const params: Record<string, Float32Array> = {};
  for (const [name, shape] of tensorShapes(config)) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    if (name.endsWith('norm.weight')) data.fill(1);
    else {
      const deviation = /o_proj|down_proj/.test(name) ? DEVIATION / Math.sqrt(2 * config.layers) : DEVIATION;
      for (let i = 0; i < data.length; i++) data[i] = gaussian() * deviation;
    }
    params[name] = data;
  }
  return params;
}
