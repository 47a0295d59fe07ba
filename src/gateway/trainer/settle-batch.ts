import type { Head, RowDrop, RowDropReason } from '../../shared/wire/trainer';
import type { BatchStore, SettledState, StoredBatch } from '../store/batches';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';
import type { VersionStore } from '../store/versions';

export interface SettlePorts {
  readonly database: Database;
  readonly batches: BatchStore;
  readonly dropped: DroppedStore;
  readonly versions: VersionStore;
}

/** A run folder whose trainer has gone another way than this database. */
export interface SettleProblem {
  /** `foreign-batch`: it trained what we did not give it · `run-behind`: it has forgotten what it trained */
  readonly kind: 'foreign-batch' | 'run-behind';
  readonly message: string;
}

/**
 * Takes over what HEAD.json says has happened: the batch's fate and the version it made, in one transaction.
 *
 * HEAD is the truth; acks are only a reason to read it. Repeating this changes nothing.
 *
 * @param skipReason - why we told the trainer to skip this batch, null when we did not
 * @returns the batch that was settled by this call, or null, or a problem when HEAD cannot be about our batch
 */
export function settleBatch(
  ports: SettlePorts,
  { head, unsettled, skipReason, at }: SettleInput,
): { readonly settled: number | null; readonly problem: SettleProblem | null } {
  return ports.database.transaction(() => {
    const contradiction = contradictionOf(head.last_batch, ports.batches);
    if (contradiction !== null) return { settled: null, problem: contradiction };
    const isOurs = unsettled !== null && head.last_batch >= unsettled.batchId && head.status !== 'none';
    if (isOurs && head.last_batch === unsettled.batchId && isForeign(head, unsettled)) {
      const message = `The trainer has finished a batch ${unsettled.batchId} that is not the one formed here.`;
      return { settled: null, problem: { kind: 'foreign-batch', message } };
    }
    if (head.version > 0 && head.weights !== null) {
      const batchId = head.status === 'trained' ? head.last_batch : null;
      ports.versions.put({
        version: head.version,
        incarnation: head.incarnation,
        path: head.weights,
        batchId,
        trainedAt: at,
      });
    }
    if (!isOurs || unsettled === null || head.status === 'none') return { settled: null, problem: null };
    const { batchId } = unsettled;
    const state: SettledState = head.status;
    if (!ports.batches.settle(batchId, { state, version: head.version, at })) return { settled: null, problem: null };
    dropRows(ports, batchId, head.dropped, at);
    const reason = dropReason(state, batchId, skipReason);
    if (reason !== null) ports.dropped.addBatch(batchId, reason, at);
    return { settled: batchId, problem: null };
  });
}

/**
 * Why the run folder and the database cannot both be right, or null.
 *
 * Either may have been put back from a backup. Going on would train ratings twice, so nothing goes on.
 *
 * @param lastBatch - of HEAD.json; 0 when there is none
 */
export function contradictionOf(lastBatch: number, batches: BatchStore): SettleProblem | null {
  const newest = batches.nextId() - 1;
  if (lastBatch > newest) {
    const message = `The trainer has finished batch ${lastBatch}, but the newest one in the database is ${newest}: the database is older than the run folder.`;
    return { kind: 'foreign-batch', message };
  }
  const settled = batches.newestSettled();
  if (lastBatch < settled) {
    const message = `The run folder says that batch ${lastBatch} was the last one trained, but batch ${settled} already was: HEAD.json is missing or older than the database. While its spool folders are there, the trainer repeats those batches by itself.`;
    return { kind: 'run-behind', message };
  }
  return null;
}

interface SettleInput {
  readonly head: Head;
  readonly unsettled: StoredBatch | null;
  readonly skipReason: string | null;
  readonly at: number;
}

function isForeign(head: Head, batch: StoredBatch): boolean {
  return head.batch_sha !== null && batch.sha256 !== null && head.batch_sha !== batch.sha256;
}

/** A row's number is its item's position, also when a damaged database has lost some items between. */
function dropRows(ports: SettlePorts, batchId: number, rows: readonly RowDrop[], at: number): void {
  for (const { row, reason } of rows) {
    const id = ports.batches.itemAt(batchId, row);
    if (id !== null) ports.dropped.add(id, ROW_REASONS[reason], at);
  }
}

/** Why one rating of a batch trained nothing, in words for its rater. */
const ROW_REASONS: Readonly<Record<RowDropReason, string>> = {
  stale: 'too stale: its answer was too many versions old when its batch was trained',
  drift: 'too stale: the weights had moved too far from those that gave this answer',
  mismatch:
    'the trainer does not agree with the engine about the probabilities of this answer; check that both use the same weights and template',
  distorted: 'not drawn by plain sampling, so no training step describes it',
  not_finite: 'the probabilities that came with this answer are not numbers',
  empty: 'this answer has no sampled token',
};

/** Why the ratings of a batch trained nothing, in words for their rater; null when they were trained. */
function dropReason(state: SettledState, batchId: number, skipReason: string | null): string | null {
  switch (state) {
    case 'trained':
      return null;
    case 'no_signal':
      return `no signal: batch ${batchId} had equal rewards throughout, so there was nothing to prefer`;
    case 'too_stale':
      return `too stale: batch ${batchId} came from weights too far from the current ones`;
    case 'skipped':
      return skipReason ?? `batch ${batchId} was skipped by the trainer`;
  }
}
