import { readFile, rename, writeFile } from 'node:fs/promises';
import type { HostParams } from '../../src/embedded/model/checkpoint';
import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { type NamedTensor, parseSafetensors, serializeSafetensors } from '../../src/embedded/model/safetensors';
import { tensorShapes } from '../../src/embedded/model/tensor-names';

/** Everything a later run needs to go on as if it had never stopped; the corpus follows from seed and step. */
export interface TrainingState {
  readonly step: number;
  readonly seed: number;
  readonly params: HostParams;
  readonly m: HostParams;
  readonly v: HostParams;
}

export async function saveState(path: string, config: LlamaConfig, state: TrainingState): Promise<void> {
  const tensors: [string, NamedTensor][] = [];
  for (const part of ['params', 'm', 'v'] as const) {
    for (const [name, shape] of tensorShapes(config))
      tensors.push([`${part}.${name}`, { shape, data: state[part][name]! }]);
  }
  const metadata = { step: String(state.step), seed: String(state.seed) };
  await writeFile(`${path}.tmp`, serializeSafetensors(tensors, metadata));
  await rename(`${path}.tmp`, path);
}

export async function loadState(path: string, config: LlamaConfig): Promise<TrainingState> {
  const { tensors, metadata } = parseSafetensors(await readFile(path));
  const part = (prefix: string): HostParams => {
    const params: Record<string, Float32Array> = {};
    for (const name of tensorShapes(config).keys()) {
      const tensor = tensors.get(`${prefix}.${name}`);
      if (!(tensor?.data instanceof Float32Array)) throw new Error(`${path}: tensor ${prefix}.${name} is absent`);
      params[name] = tensor.data;
    }
    return params;
  };
  return {
    step: Number(metadata.step),
    seed: Number(metadata.seed),
    params: part('params'),
    m: part('m'),
    v: part('v'),
  };
}
