/** What decides how many more sessions may start. */
export interface CapacityCounts {
  /** sessions open at once, whatever the staleness; below 1 counts as 1 */
  readonly maxOpen: number;
  /** η: by how many batches a session may be ahead of the one it is collected for */
  readonly maxHeadOffpolicyness: number;
  /** k: batches formed so far, the one in training included */
  readonly batchId: number;
  /** B; below 1 counts as 1 */
  readonly batchSize: number;
  /** what batches took, and what waits for one */
  readonly accepted: number;
  /** open sessions whose answers will wait for a batch here */
  readonly running: number;
}

/**
 * How many more sessions may start: min(maxOpen − running, (η + k + 1)·B − (accepted + running)); may be negative.
 *
 * @remarks AReaL's formula with the batch counter k in place of the weight version: there every step makes a version,
 * here a batch may be consumed without one, and each such batch would shrink capacity by B for good.
 */
export function sessionCapacity(counts: CapacityCounts): number {
  return Math.min(openCapacity(counts.maxOpen, counts.running), stalenessCapacity(counts));
}

/** The half of {@link sessionCapacity} that bounds how many are open at once. */
export function openCapacity(maxOpen: number, open: number): number {
  return Math.max(1, maxOpen) - open;
}

/** The half of {@link sessionCapacity} that bounds how far collecting runs ahead of training. */
export function stalenessCapacity({
  maxHeadOffpolicyness,
  batchId,
  batchSize,
  accepted,
  running,
}: Omit<CapacityCounts, 'maxOpen'>): number {
  return (maxHeadOffpolicyness + batchId + 1) * Math.max(1, batchSize) - (accepted + running);
}

/**
 * What counts as accepted: k·B for the batches that were formed, and the rows that wait for the next.
 *
 * Derived from what is on disk, so that it is the same after a restart: a counter that starts again at 0 beside a batch
 * counter that does not would let a burst of stale work in.
 */
export function acceptedRows(batchId: number, batchSize: number, waitingRows: number): number {
  return batchId * Math.max(1, batchSize) + waitingRows;
}

const DEFAULT_RETRY_S = 5;
const LONGEST_RETRY_S = 60;

/**
 * When a refused agent should ask again: the usual time between two batches, because each one makes room.
 *
 * @param batchTimesMs - when the last batches were finished, ascending, milliseconds
 * @returns whole seconds in [1, 60]; 5 while nothing is known
 */
export function retryAfterSeconds(batchTimesMs: readonly number[]): number {
  const gaps = batchTimesMs
    .slice(1)
    .map((at, k) => at - (batchTimesMs[k] ?? at))
    .filter((gap) => gap > 0)
    .sort((left, right) => left - right);
  const median = gaps[Math.floor(gaps.length / 2)];
  if (median === undefined) return DEFAULT_RETRY_S;
  return Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil(median / 1000)));
}
