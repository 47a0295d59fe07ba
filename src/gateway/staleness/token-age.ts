/** A row with a smaller share of fresh tokens than this is dropped whole; the trainer masks the stale tokens of the others. */
const MIN_FRESH_FRACTION = 0.1;

/**
 * Why a row is too old to be trained, in words for its rater; null when it is fresh enough.
 *
 * Age of a token = consuming version − its version. Checked when the row is consumed, not when its session started:
 * people are slow, and versions move while a session is open.
 *
 * @param versions - one per output token; −1 = unknown, counted as stale
 * @param consumingVersion - version of the weights that would be trained on the row
 * @param limit - greatest age in versions that is still trained
 */
export function staleReason(versions: readonly number[], consumingVersion: number, limit: number): string | null {
  if (versions.length === 0) return null;
  const fresh = versions.filter((version) => version >= 0 && consumingVersion - version <= limit).length;
  if (fresh > 0 && fresh >= versions.length * MIN_FRESH_FRACTION) return null;
  let head = Number.POSITIVE_INFINITY;
  let tail = -1;
  for (const version of versions) {
    head = Math.min(head, version);
    tail = Math.max(tail, version);
  }
  const sampledBy = head === tail ? `v${head}` : `v${head} to v${tail}`;
  return `too stale: sampled by ${sampledBy}, now v${consumingVersion}, limit ${limit}`;
}
