/** A row loses all its tokens when fewer than this share of them is fresh enough: what is left would be a fragment. */
const MIN_KEPT_SHARE = 0.1;

export interface StalenessMask {
  /** 1 = trained, same length as the row */
  readonly mask: Uint8Array;
  /** tokens masked because of their age, those of a dropped row included */
  readonly masked: number;
  readonly rowDropped: boolean;
}

/**
 * Masks the tokens of one row that are older than the limit when they are consumed.
 *
 * @param trainVersion - version of the weights that are about to be trained
 * @param versions - per token; −1 = not sampled by the policy. Read only where lossMask is 1
 * @param limit - largest age in versions that is still trained
 */
export function maskStaleTokens(
  trainVersion: number,
  lossMask: ArrayLike<number>,
  versions: ArrayLike<number>,
  limit: number,
): StalenessMask {
  const mask = new Uint8Array(lossMask.length);
  let trainable = 0;
  let kept = 0;
  for (let t = 0; t < lossMask.length; t++) {
    if (lossMask[t] !== 1) continue;
    trainable += 1;
    if (trainVersion - (versions[t] ?? -1) > limit) continue;
    mask[t] = 1;
    kept += 1;
  }
  if (kept >= trainable * MIN_KEPT_SHARE) return { mask, masked: trainable - kept, rowDropped: false };
  return { mask: new Uint8Array(lossMask.length), masked: trainable, rowDropped: true };
}
