import type { Algorithm } from '../../shared/wire/trainer';

/** A training row as the denominator sees it. */
export interface WeighableRow {
  /** index of its episode */
  readonly session: number;
  /** 1 = sampled by the policy and trainable */
  readonly lossMask: ArrayLike<number>;
}

/**
 * Weight of one trained token of each row, so that a plain weighted sum is the mean the loss asks for.
 *
 * `token`: every token weighs 1/N. `session`: the tokens of an episode share 1/S, so that a long chat does not outvote five
 * short ones. Counted before any token is rejected (too old, behaviour weight over its cap): a rejected
 * token takes its share with it and never makes the others heavier.
 *
 * @returns one number per row, 0 for rows without a token to train
 */
export function tokenWeights(denominator: Algorithm['denominator'], rows: readonly WeighableRow[]): number[] {
  const counts = rows.map(({ lossMask }) => countOnes(lossMask));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (denominator === 'token') return counts.map((count) => (count === 0 ? 0 : 1 / total));
  const perSession = new Map<number, number>();
  rows.forEach(({ session }, i) => {
    const count = counts[i] ?? 0;
    if (count > 0) perSession.set(session, (perSession.get(session) ?? 0) + count);
  });
  return rows.map(({ session }, i) => {
    const tokens = perSession.get(session);
    return tokens === undefined || counts[i] === 0 ? 0 : 1 / (perSession.size * tokens);
  });
}

function countOnes(mask: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) count += 1;
  return count;
}
