import { advantages } from '../../shared/domain/advantages';
import type { Algorithm, RowDrop } from '../../shared/wire/trainer';
import type { SpoolData } from './spool';
import { maskStaleTokens } from './staleness-mask';
import { tokenWeights } from './token-weights';

const FLAG_TRUNCATED = 1;
const FLAG_DISTORTED = 2;

/** One row as the loss takes it; arrays are aligned to the token itself: entry t describes token t given those before it. */
export interface TrainingRow {
  /** its place in the spool */
  readonly row: number;
  /** index of its episode */
  readonly session: number;
  readonly ids: Int32Array;
  /** 1 = trained; too old tokens and tokens without a finite behaviour log-probability are 0 */
  readonly mask: Uint8Array;
  readonly behave: Float32Array;
  readonly versions: Int32Array;
  readonly temperature: number;
  /** loss weight of each of its trained tokens */
  readonly weight: number;
  readonly advantage: number;
}

export interface TrainingBatch {
  /** rows with at least one token to train, in spool order */
  readonly rows: readonly TrainingRow[];
  /** the other rows, in spool order */
  readonly dropped: readonly RowDrop[];
  /** one per episode, spool order */
  readonly advantages: readonly number[];
  readonly rewards: readonly number[];
  readonly groups: readonly number[];
  readonly counts: BatchCounts;
}

/** What the batch held and what was left out of it. */
export interface BatchCounts {
  readonly rows: number;
  readonly tokens: number;
  /** sampled by the policy, distorted rows included */
  readonly sampledTokens: number;
  /** in rows that may be trained, before any is too old */
  readonly eligibleTokens: number;
  readonly truncatedRows: number;
  readonly distortedRows: number;
  readonly staleTokens: number;
  readonly staleRows: number;
  readonly nonfiniteTokens: number;
  /** versions under the training version, one per eligible token */
  readonly ages: readonly number[];
}

/**
 * Turns a spooled batch into what the loss takes: advantages over episodes, weights of tokens, and masks.
 *
 * Order matters: distorted rows (not drawn by plain sampling, so no ratio describes them) leave first; then the weights are fixed;
 * only then are too old tokens masked, so that masking never makes the others heavier.
 *
 * @param trainVersion - version of the weights that are about to be trained
 */
export function buildTrainingBatch(data: SpoolData, algorithm: Algorithm, trainVersion: number): TrainingBatch {
  const rewards = Array.from(data.sessionReward);
  const groups = Array.from(data.sessionGroup);
  const episodeAdvantages = advantages(
    algorithm.baseline,
    rewards.map((reward, i) => ({ reward, groupId: groups[i] ?? i })),
  );
  const all = Array.from(data.rowSession, (session, row) => sliceRow(data, session, row));
  const eligible = all.filter((row) => !row.isDistorted);
  const weights = tokenWeights(algorithm.denominator, eligible);
  const fresh = eligible.map((row) =>
    maskStaleTokens(trainVersion, row.lossMask, row.versions, algorithm.max_token_staleness),
  );
  let nonfiniteTokens = 0;
  const rows = eligible.map((row, i): TrainingRow => {
    const mask = fresh[i]?.mask ?? new Uint8Array(row.lossMask.length);
    row.behave.forEach((logprob, t) => {
      if (mask[t] === 0 || Number.isFinite(logprob)) return;
      mask[t] = 0;
      nonfiniteTokens += 1;
    });
    const { session, ids, behave, versions, temperature } = row;
    const advantage = episodeAdvantages[session] ?? 0;
    return { row: row.row, session, ids, mask, behave, versions, temperature, weight: weights[i] ?? 0, advantage };
  });
  const dropped = all.flatMap((row): RowDrop[] => {
    if (row.isDistorted) return [{ row: row.row, reason: 'distorted' }];
    const place = eligible.indexOf(row);
    if (rows[place]?.mask.includes(1) === true) return [];
    if (!row.lossMask.includes(1)) return [{ row: row.row, reason: 'empty' }];
    return [{ row: row.row, reason: fresh[place]?.rowDropped === true ? 'stale' : 'not_finite' }];
  });
  return {
    rows: rows.filter((row) => row.mask.includes(1)),
    dropped,
    advantages: episodeAdvantages,
    rewards,
    groups,
    counts: {
      rows: all.length,
      tokens: data.inputIds.length,
      sampledTokens: sum(all.map((row) => countOnes(row.lossMask))),
      eligibleTokens: sum(eligible.map((row) => countOnes(row.lossMask))),
      truncatedRows: all.filter((row) => row.isTruncated).length,
      distortedRows: all.length - eligible.length,
      staleTokens: sum(fresh.map((result) => result.masked)),
      staleRows: fresh.filter((result) => result.rowDropped).length,
      nonfiniteTokens,
      ages: eligible.flatMap((row) =>
        Array.from(row.versions, (version) => trainVersion - version).filter((_, t) => row.lossMask[t] === 1),
      ),
    },
  };
}

/** True when the ratings of a batch say nothing: every advantage is 0, so a step would only follow the KL. */
export function hasNoSignal(batch: Pick<TrainingBatch, 'advantages'>): boolean {
  return batch.advantages.every((advantage) => advantage === 0);
}

function sliceRow(data: SpoolData, session: number, row: number) {
  const from = data.cuSeqlens[row] ?? 0;
  const to = data.cuSeqlens[row + 1] ?? from;
  const flags = data.rowFlags[row] ?? 0;
  const temperature = data.rowTemperature[row] ?? 1;
  const lossMask = data.lossMask.slice(from, to);
  // nothing comes before the first token, so nothing predicts it
  if (lossMask.length > 0) lossMask[0] = 0;
  return {
    row,
    session,
    ids: data.inputIds.slice(from, to),
    lossMask,
    behave: data.behaveLogprob.slice(from, to),
    versions: data.version.slice(from, to),
    temperature,
    isTruncated: (flags & FLAG_TRUNCATED) !== 0,
    // at temperature 0 the answer was not drawn at all
    isDistorted: (flags & FLAG_DISTORTED) !== 0 || temperature === 0,
  };
}

function countOnes(mask: Uint8Array): number {
  return sum(Array.from(mask));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
