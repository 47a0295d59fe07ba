import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { TRAINER_SCHEMA } from '../../shared/wire/trainer';
import type { HostParams } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { type NamedTensor, parseSafetensors, serializeSafetensors } from '../model/safetensors';
import { tensorShapes } from '../model/tensor-names';
import { createFolder, isAbsent, sha256, writeFlushed } from './durable-files';
import type { TrainingMoments } from './policy-optimizer';
import { compareVersions, parseVersionFolder, type VersionName, versionFolder } from './run-directory';
import { readPublishedWeights } from './weights-folder';

const STATE_FILE = 'state.json';
const OPTIMIZER_FILE = 'optimizer.safetensors';

const stateSchema = z.object({
  schema: z.literal(TRAINER_SCHEMA),
  version: z.number().int().min(1),
  incarnation: z.number().int().min(0),
  /** the batch that made this version */
  last_batch: z.number().int().min(1),
  /** optimizer steps made */
  step: z.number().int().min(0),
  /** gradient norms of the last steps, oldest first */
  gradient_norms: z.array(z.number()),
  /** folder of the parameters, relative to the run directory */
  weights: z.string(),
  optimizer_sha256: z.string(),
});

/** Everything that a step needs besides the batch. */
export interface TrainingState {
  readonly name: VersionName;
  /** the batch that made it; 0 = the seed model */
  readonly lastBatch: number;
  readonly params: HostParams;
  /** null = no step yet */
  readonly moments: TrainingMoments | null;
}

/** Writes `ckpt/v000043.i0`: moments, step and statistics; the parameters are those of the published weights of that name. */
export async function saveTrainingState(
  root: string,
  config: LlamaConfig,
  state: { readonly name: VersionName; readonly lastBatch: number; readonly moments: TrainingMoments },
): Promise<string> {
  const relative = versionFolder('ckpt', state.name);
  const { step, norms, m, v } = state.moments;
  const optimizer = serializeSafetensors(momentTensors(config, m, v));
  await createFolder(join(root, relative), async (temporary) => {
    await mkdir(temporary, { recursive: true });
    await writeFlushed(join(temporary, OPTIMIZER_FILE), optimizer);
    const json: z.infer<typeof stateSchema> = {
      schema: TRAINER_SCHEMA,
      ...state.name,
      last_batch: state.lastBatch,
      step,
      gradient_norms: [...norms],
      weights: versionFolder('weights', state.name),
      optimizer_sha256: sha256(optimizer),
    };
    await writeFlushed(join(temporary, STATE_FILE), `${JSON.stringify(json)}\n`);
  });
  return relative;
}

/** Reads a state and the weights it belongs to. Throws when anything of it is missing or damaged. */
export async function loadTrainingState(root: string, config: LlamaConfig, relative: string): Promise<TrainingState> {
  const state = stateSchema.parse(JSON.parse(await readFile(join(root, relative, STATE_FILE), 'utf8')));
  const bytes = await readFile(join(root, relative, OPTIMIZER_FILE));
  if (sha256(bytes) !== state.optimizer_sha256) throw new Error(`${relative}/${OPTIMIZER_FILE} is damaged`);
  const { tensors } = parseSafetensors(bytes);
  const params = await readPublishedWeights(join(root, state.weights));
  return {
    name: { version: state.version, incarnation: state.incarnation },
    lastBatch: state.last_batch,
    params,
    moments: {
      step: state.step,
      norms: state.gradient_norms,
      m: readMoments(config, tensors, 'm'),
      v: readMoments(config, tensors, 'v'),
    },
  };
}

/** Folders of states in the run directory, newest first. */
export async function listTrainingStates(root: string): Promise<{ relative: string; name: VersionName }[]> {
  return (await listVersionFolders(root, 'ckpt')).reverse();
}

/** Folders of one kind with a version's name, oldest first. */
export async function listVersionFolders(root: string, kind: 'weights' | 'ckpt') {
  const names = await readdir(join(root, kind)).catch((cause) => {
    if (isAbsent(cause)) return [];
    throw cause;
  });
  const found = names.flatMap((folder) => {
    const name = parseVersionFolder(folder);
    return name === null ? [] : [{ relative: `${kind}/${folder}`, name }];
  });
  return found.sort((a, b) => compareVersions(a.name, b.name));
}

function* momentTensors(config: LlamaConfig, m: HostParams, v: HostParams): Generator<[string, NamedTensor]> {
  for (const [prefix, moments] of [['m', m] as const, ['v', v] as const]) {
    for (const [name, shape] of tensorShapes(config)) {
      const data = moments[name];
      if (data === undefined) throw new Error(`moment ${prefix} of ${name} is absent`);
      yield [`${prefix}.${name}`, { shape, data }];
    }
  }
}

function readMoments(config: LlamaConfig, tensors: ReadonlyMap<string, NamedTensor>, prefix: string): HostParams {
  const moments: Record<string, Float32Array> = {};
  for (const [name, shape] of tensorShapes(config)) {
    const data = tensors.get(`${prefix}.${name}`)?.data;
    const size = shape.reduce((product, n) => product * n, 1);
    if (!(data instanceof Float32Array) || data.length !== size)
      throw new Error(`moment ${prefix} of ${name} is absent`);
    moments[name] = data;
  }
  return moments;
}
