import type { Head, Run } from '../../shared/wire/trainer';
import { TRAINER_EXIT } from '../../shared/wire/trainer';
import type { HostParams } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { TrainerFailure } from './trainer-failure';
import { listTrainingStates, loadTrainingState, type TrainingState } from './training-state';

export interface RestoredState {
  readonly state: TrainingState;
  /** why HEAD's own state was not used; null = it was */
  readonly damage: string | null;
}

/**
 * The state that HEAD names, or the one before it when HEAD's is damaged; then the batches between must be trained again.
 * Exit 17 when that one is damaged too.
 */
export async function restoreState(
  root: string,
  head: Head,
  seed: { readonly config: LlamaConfig; readonly params: HostParams },
): Promise<RestoredState> {
  const seedState: TrainingState = {
    name: { version: 0, incarnation: 0 },
    lastBatch: 0,
    params: seed.params,
    moments: null,
  };
  if (head.ckpt === null) return { state: seedState, damage: null };
  const own = await attempt(root, seed.config, head.ckpt);
  if (own.state !== null) return { state: own.state, damage: null };
  const earlier = (await listTrainingStates(root)).find(
    ({ relative, name }) => relative !== head.ckpt && name.version < head.version,
  );
  // the first version's predecessor is the seed model, which has no state of its own
  if (earlier === undefined && head.version === 1) return { state: seedState, damage: own.problem };
  if (earlier === undefined) throw corrupt(own.problem);
  const before = await attempt(root, seed.config, earlier.relative);
  if (before.state === null) throw corrupt(`${own.problem}; the one before it: ${before.problem}`);
  return { state: before.state, damage: own.problem };
}

/** Exit 17: what was trained cannot be found again. */
export function corrupt(problem: string): TrainerFailure {
  return new TrainerFailure(`The training state cannot be restored: ${problem}`, {
    exitCode: TRAINER_EXIT.corruptCheckpoint,
    code: 'corrupt_checkpoint',
  });
}

type Attempt = { readonly state: TrainingState } | { readonly state: null; readonly problem: string };

async function attempt(root: string, config: LlamaConfig, relative: string): Promise<Attempt> {
  try {
    return { state: await loadTrainingState(root, config, relative) };
  } catch (thrown) {
    return { state: null, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** A run with its seed model loaded. */
export interface LoadedRun {
  readonly root: string;
  readonly run: Run;
  readonly config: LlamaConfig;
  readonly params: HostParams;
  /** of the seed's weights file */
  readonly sha256: string;
}
