import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { Database } from './database';
import { decodeIntegers } from './token-blobs';

export type BatchState = 'formed' | 'spooled' | 'trained' | 'no_signal' | 'skipped' | 'too_stale';
/** A batch the trainer has committed, one way or the other. */
export type SettledState = Exclude<BatchState, 'formed' | 'spooled'>;

export interface StoredBatch {
  readonly batchId: number;
  readonly state: BatchState;
  readonly formedAt: number;
  readonly formedAtVersion: number;
  readonly sha256: string | null;
  readonly trajectories: number;
  readonly version: number | null;
}

/** One row of a batch; positions run from 0 and rows of one episode are adjacent. */
export interface BatchItem {
  readonly interactionId: InteractionId;
  readonly episodeId: string;
  readonly groupId: string;
  readonly episodeReward: number;
  /** return after turn discount */
  readonly reward: number;
  /** advantage: the episode's reward beside its baseline */
  readonly normalised: number | null;
}

/** The `batches` and `batch_items` tables. */
export class BatchStore {
  constructor(private readonly database: Database) {}

  /** Versions of an answer's tokens, in order. */
  outputVersions(id: InteractionId): number[] {
    const row = this.database.get<{ output_versions: Uint8Array | null }>(
      'SELECT output_versions FROM interactions WHERE interaction_id = ?',
      [id],
    );
    return decodeIntegers(row?.output_versions ?? null);
  }

  /** The one batch that the trainer has not committed yet. */
  findUnsettled(): StoredBatch | null {
    return toBatch(
      this.database.get<BatchRow>(
        "SELECT * FROM batches WHERE state IN ('formed', 'spooled') ORDER BY batch_id LIMIT 1",
      ),
    );
  }

  find(batchId: number): StoredBatch | null {
    return toBatch(this.database.get<BatchRow>('SELECT * FROM batches WHERE batch_id = ?', [batchId]));
  }

  nextId(): number {
    return (this.database.get<{ last: number | null }>('SELECT MAX(batch_id) AS last FROM batches')?.last ?? 0) + 1;
  }

  /** The highest batch whose fate is known; 0 before the first. */
  newestSettled(): number {
    const row = this.database.get<{ last: number | null }>(
      "SELECT MAX(batch_id) AS last FROM batches WHERE state NOT IN ('formed', 'spooled')",
    );
    return row?.last ?? 0;
  }

  /** @throws DatabaseError `constraint` when a batch already holds one of the items */
  insert(
    batch: { readonly batchId: number; readonly at: number; readonly version: number },
    items: readonly BatchItem[],
  ): void {
    this.database.transaction(() => {
      this.database.run(
        `INSERT INTO batches (batch_id, state, formed_at, formed_at_version, trajectories) VALUES (?, 'formed', ?, ?, ?)`,
        [batch.batchId, batch.at, batch.version, items.length],
      );
      items.forEach((item, position) => {
        this.database.run(
          `INSERT INTO batch_items (interaction_id, batch_id, position, episode_id, group_id, episode_reward, reward,
             normalised) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          [
            item.interactionId,
            batch.batchId,
            position,
            item.episodeId,
            item.groupId,
            item.episodeReward,
            item.reward,
            item.normalised,
          ],
        );
      });
    });
  }

  /** In position order. */
  items(batchId: number): BatchItem[] {
    return this.database
      .all<ItemRow>('SELECT * FROM batch_items WHERE batch_id = ? ORDER BY position', [batchId])
      .map((row) => ({
        interactionId: interactionId(row.interaction_id),
        episodeId: row.episode_id,
        groupId: row.group_id,
        episodeReward: row.episode_reward,
        reward: row.reward,
        normalised: row.normalised,
      }));
  }

  /** Which rating a row of a batch is; null when a damaged database has lost it. */
  itemAt(batchId: number, position: number): InteractionId | null {
    const row = this.database.get<{ interaction_id: string }>(
      'SELECT interaction_id FROM batch_items WHERE batch_id = ? AND position = ?',
      [batchId, position],
    );
    return row === undefined ? null : interactionId(row.interaction_id);
  }

  markSpooled(batchId: number, sha256: string): void {
    this.database.run(
      "UPDATE batches SET state = 'spooled', sha256 = ? WHERE batch_id = ? AND state IN ('formed', 'spooled')",
      [sha256, batchId],
    );
  }

  /** @returns false when it was settled before: the first word stands */
  settle(
    batchId: number,
    outcome: { readonly state: SettledState; readonly version: number; readonly at: number },
  ): boolean {
    return (
      this.database.run(
        "UPDATE batches SET state = ?, version = ?, acked_at = ? WHERE batch_id = ? AND state IN ('formed', 'spooled')",
        [outcome.state, outcome.state === 'trained' ? outcome.version : null, outcome.at, batchId],
      ).changes === 1
    );
  }
}

interface BatchRow {
  readonly batch_id: number;
  readonly state: BatchState;
  readonly formed_at: number;
  readonly formed_at_version: number;
  readonly sha256: string | null;
  readonly trajectories: number;
  readonly version: number | null;
}

interface ItemRow {
  readonly interaction_id: string;
  readonly episode_id: string;
  readonly group_id: string;
  readonly episode_reward: number;
  readonly reward: number;
  readonly normalised: number | null;
}

function toBatch(row: BatchRow | undefined): StoredBatch | null {
  if (row === undefined) return null;
  return {
    batchId: row.batch_id,
    state: row.state,
    formedAt: row.formed_at,
    formedAtVersion: row.formed_at_version,
    sha256: row.sha256,
    trajectories: row.trajectories,
    version: row.version,
  };
}
