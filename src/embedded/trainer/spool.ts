import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, manifestSchema, SPOOL_TENSORS } from '../../shared/wire/trainer';
import { type NamedTensor, parseSafetensors } from '../model/safetensors';
import { isAbsent, sha256 } from './durable-files';
import { runPaths } from './run-directory';
import { firstIssue, parseJson, refuseOtherSchema } from './run-file';
import { CRASH_EXIT, TrainerFailure } from './trainer-failure';

/** Tensors of `data.safetensors`, checked against one another; T tokens, R rows, S episodes. */
export interface SpoolData {
  readonly inputIds: Int32Array;
  readonly lossMask: Uint8Array;
  readonly behaveLogprob: Float32Array;
  readonly version: Int32Array;
  /** R + 1 offsets into the token arrays, ascending from 0 to T */
  readonly cuSeqlens: Int32Array;
  readonly rowSession: Int32Array;
  readonly rowTemperature: Float32Array;
  readonly rowFlags: Uint8Array;
  readonly sessionReward: Float32Array;
  readonly sessionGroup: Int32Array;
}

export interface SpoolBatch {
  readonly manifest: Manifest;
  readonly data: SpoolData;
}

/** The manifest of a batch; null while the studio has not put it there. */
export async function readManifest(root: string, batchId: number): Promise<Manifest | null> {
  const path = join(runPaths.spool(root, batchId), 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause) => {
    if (isAbsent(cause)) return null;
    throw cause;
  });
  if (text === null) return null;
  const json = parseJson(text, (cause) => spoolFailure(`${path} is not valid JSON`, cause));
  refuseOtherSchema(path, json);
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw spoolFailure(`${path}: ${firstIssue(parsed.error)}`, parsed.error);
  return parsed.data;
}

/** Reads and checks a whole batch. A batch that is not what its manifest says ends the process: nothing of it is trained. */
export async function readSpoolBatch(root: string, manifest: Manifest, run: SpoolOwner): Promise<SpoolBatch> {
  const folder = runPaths.spool(root, run.batchId);
  if (manifest.batch_id !== run.batchId || manifest.run_id !== run.runId) {
    throw spoolFailure(`${folder} holds batch ${manifest.batch_id} of run ${manifest.run_id}`);
  }
  const path = join(folder, 'data.safetensors');
  const bytes = await readFile(path).catch((cause) => {
    throw spoolFailure(`${path} cannot be read`, cause);
  });
  const actual = sha256(bytes);
  if (actual !== manifest.sha256) {
    throw spoolFailure(`${path} has sha256 ${actual}, its manifest says ${manifest.sha256}`);
  }
  const data = readTensors(path, bytes);
  const problem = findProblem(data, manifest, run.vocabSize);
  if (problem !== null) throw spoolFailure(`${path}: ${problem}`);
  return { manifest, data };
}

export interface SpoolOwner {
  readonly runId: string;
  readonly batchId: number;
  readonly vocabSize: number;
}

function readTensors(path: string, bytes: Uint8Array): SpoolData {
  let tensors: ReadonlyMap<string, NamedTensor>;
  try {
    ({ tensors } = parseSafetensors(bytes));
  } catch (cause) {
    throw spoolFailure(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const find = <T extends NamedTensor['data']>(
    name: (typeof SPOOL_TENSORS)[number],
    type: abstract new (...args: never[]) => T,
  ): T => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw spoolFailure(`${path}: tensor ${name} is absent`);
    if (!(tensor.data instanceof type) || tensor.shape.length !== 1) {
      throw spoolFailure(`${path}: tensor ${name} is not a flat ${type.name}`);
    }
    return tensor.data;
  };
  const missing = SPOOL_TENSORS.find((name) => !tensors.has(name));
  if (missing !== undefined) throw spoolFailure(`${path}: tensor ${missing} is absent`);
  return {
    inputIds: find('input_ids', Int32Array),
    lossMask: find('loss_mask', Uint8Array),
    behaveLogprob: find('behave_logprob', Float32Array),
    version: find('version', Int32Array),
    cuSeqlens: find('cu_seqlens', Int32Array),
    rowSession: find('row_session', Int32Array),
    rowTemperature: find('row_temp', Float32Array),
    rowFlags: find('row_flags', Uint8Array),
    sessionReward: find('session_reward', Float32Array),
    sessionGroup: find('session_group', Int32Array),
  };
}

function findProblem(data: SpoolData, manifest: Manifest, vocabSize: number): string | null {
  const { n_tokens: tokens, n_rows: rows, n_sessions: sessions } = manifest;
  const sizes: [string, ArrayLike<number>, number][] = [
    ['input_ids', data.inputIds, tokens],
    ['loss_mask', data.lossMask, tokens],
    ['behave_logprob', data.behaveLogprob, tokens],
    ['version', data.version, tokens],
    ['cu_seqlens', data.cuSeqlens, rows + 1],
    ['row_session', data.rowSession, rows],
    ['row_temp', data.rowTemperature, rows],
    ['row_flags', data.rowFlags, rows],
    ['session_reward', data.sessionReward, sessions],
    ['session_group', data.sessionGroup, sessions],
  ];
  for (const [name, values, size] of sizes) {
    if (values.length !== size) return `${name} has ${values.length} entries, the manifest asks for ${size}`;
  }
  if (data.cuSeqlens[0] !== 0 || data.cuSeqlens[rows] !== tokens) return 'cu_seqlens does not span the tokens';
  if (data.cuSeqlens.some((offset, i) => i > 0 && offset < (data.cuSeqlens[i - 1] ?? 0))) {
    return 'cu_seqlens goes backwards';
  }
  if (data.rowSession.some((session) => session < 0 || session >= sessions)) return 'row_session names no session';
  if (data.lossMask.some((mask) => mask > 1)) return 'loss_mask holds something else than 0 and 1';
  const stray = data.inputIds.find((id) => id < 0 || id >= vocabSize);
  if (stray !== undefined) return `token id ${stray} is not in the model's vocabulary of ${vocabSize}`;
  if (!data.sessionReward.every(Number.isFinite)) return 'session_reward is not finite';
  if (!data.rowTemperature.every((t) => Number.isFinite(t) && t >= 0)) return 'row_temp is not a temperature';
  return null;
}

function spoolFailure(message: string, cause?: unknown): TrainerFailure {
  return new TrainerFailure(message, { exitCode: CRASH_EXIT, code: 'spool_corrupt', cause });
}
