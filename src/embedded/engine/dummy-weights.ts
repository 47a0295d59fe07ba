import type { HostParams } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { tensorShapes } from '../model/tensor-names';
import { seededUniform } from './seeded-uniform';

/** Random weights of a model's shape (`--load-format dummy`): for trying the engine without a checkpoint's weights. */
export function dummyParams(config: LlamaConfig, seed: number): HostParams {
  const params: Record<string, Float32Array> = {};
  let drawn = 0;
  for (const [name, shape] of tensorShapes(config)) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    if (name.endsWith('norm.weight')) data.fill(1);
    else for (let i = 0; i < data.length; i++) data[i] = (seededUniform(seed, drawn++) - 0.5) * 0.2;
    params[name] = data;
  }
  return params;
}
