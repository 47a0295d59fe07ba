import type { TrainingMetrics } from '../../../shared/wire/rl';
import { algorithmSchema } from '../../../shared/wire/trainer';

export type AlarmKind =
  | 'behave-kl'
  | 'ess'
  | 'clipped'
  | 'reference-kl'
  | 'entropy-halved'
  | 'length-doubled'
  | 'truncated'
  | 'ratings-equal'
  | 'staleness';

/** Something a person should look at, with the number that says so and the number it is held against. */
export interface Alarm {
  readonly kind: AlarmKind;
  readonly batchId: number;
  readonly value: number;
  readonly limit: number;
}

type Batch = TrainingMetrics['batches'][number];

/** The trainer contract's alarm limits. */
const limits = { behaveKl: 0.1, ess: 0.5, clipped: 0.3, referenceKl: 0.5, truncated: 0.2, window: 10, equalBatches: 3 };
const maxTokenStaleness = algorithmSchema.parse({}).max_token_staleness;

/** Alarms at the newest reported batch. A metric that is not reported raises none. */
export function findAlarms(batches: readonly Batch[]): Alarm[] {
  const newest = batches[batches.length - 1];
  if (newest === undefined) return [];
  const before = batches.slice(-limits.window - 1, -1);
  const alarms: Alarm[] = [];
  const raise = (
    kind: AlarmKind,
    value: number | null,
    limit: number,
    isAlarming: (value: number) => boolean,
  ): void => {
    if (value !== null && isAlarming(value)) alarms.push({ kind, batchId: newest.batch_id, value, limit });
  };
  const above = (kind: AlarmKind, value: number | null, limit: number): void =>
    raise(kind, value, limit, (number) => number > limit);

  // before anything was left out, where the trainer tells it
  above('behave-kl', metric(newest, 'kl/behave_k3_all') ?? metric(newest, 'kl/behave_k3'), limits.behaveKl);
  raise('ess', metric(newest, 'ratio/ess'), limits.ess, (value) => value < limits.ess);
  above('clipped', clippedShare(newest), limits.clipped);
  above('reference-kl', metric(newest, 'kl/ref'), limits.referenceKl);
  const entropy = Math.max(...before.map((batch) => metric(batch, 'policy/entropy') ?? Number.NEGATIVE_INFINITY));
  raise('entropy-halved', metric(newest, 'policy/entropy'), entropy, (value) => value < entropy / 2);
  const length = Math.min(...before.map((batch) => meanLength(batch) ?? Number.POSITIVE_INFINITY));
  raise('length-doubled', meanLength(newest), length, (value) => value >= 2 * length);
  above('truncated', metric(newest, 'data/truncated_fraction'), limits.truncated);
  raise('ratings-equal', equalReward(batches.slice(-limits.equalBatches)), limits.equalBatches, () => true);
  above('staleness', metric(newest, 'version/staleness_p95'), maxTokenStaleness);
  return alarms;
}

const metric = (batch: Batch, key: string): number | null => batch.values[key] ?? null;

function clippedShare(batch: Batch): number | null {
  const parts = [metric(batch, 'clip/clip_ratio'), metric(batch, 'clip/rs_filtered_fraction')];
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0);
}

function meanLength(batch: Batch): number | null {
  const tokens = metric(batch, 'tokens/trainable');
  const rows = metric(batch, 'data/rows');
  return tokens === null || rows === null || rows === 0 ? null : tokens / rows;
}

/** The one reward that all of these batches gave, or null. */
function equalReward(batches: readonly Batch[]): number | null {
  if (batches.length < limits.equalBatches) return null;
  const ends = batches.flatMap((batch) => [metric(batch, 'reward/min'), metric(batch, 'reward/max')]);
  const first = ends[0] ?? null;
  return first !== null && ends.every((end) => end === first) ? first : null;
}
