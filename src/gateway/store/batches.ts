import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { InteractionState } from '../../shared/domain/interaction';
import type { SessionFacts, TurnFacts } from '../../shared/domain/turn-facts';
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
  readonly reward: number;
}

/** A session with at least one rating that neither a batch nor a drop has closed. */
export interface OpenSession {
  readonly session: SessionFacts;
  readonly turns: readonly TurnFacts[];
}

/** The `batches` and `batch_items` tables, and the ratings that wait for one. */
export class BatchStore {
  // Every rating whose last change is at or before this point of reward_history is closed. Only an index in memory:
  // it spares a scan of all ratings ever given, and starting at 0 is always right.
  #closedThrough = 0;

  constructor(private readonly database: Database) {}

  /** Sessions with open ratings, oldest ended first, open sessions last; turns in arrival order. */
  openSessions(): OpenSession[] {
    const ids = this.#openRatings();
    if (ids.length === 0) return [];
    const sessions = new Map<string, { session: SessionFacts; turns: TurnFacts[] }>();
    for (const row of this.database.all<TurnRow>(TURNS_SQL, [JSON.stringify(ids)])) {
      let open = sessions.get(row.session_id);
      if (open === undefined) {
        open = { session: toSessionFacts(row), turns: [] };
        sessions.set(row.session_id, open);
      }
      open.turns.push(toTurnFacts(row));
    }
    return [...sessions.values()];
  }

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
          `INSERT INTO batch_items (interaction_id, batch_id, position, episode_id, group_id, episode_reward, reward)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          [item.interactionId, batch.batchId, position, item.episodeId, item.groupId, item.episodeReward, item.reward],
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
      }));
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

  #openRatings(): string[] {
    const rows = this.database.all<{ interaction_id: string; seq: number }>(
      `SELECT r.interaction_id, MAX(h.seq) AS seq
       FROM reward_history h JOIN rewards r USING (interaction_id)
       LEFT JOIN batch_items m USING (interaction_id) LEFT JOIN dropped d USING (interaction_id)
       WHERE h.seq > ? AND m.interaction_id IS NULL AND d.interaction_id IS NULL
       GROUP BY r.interaction_id`,
      [this.#closedThrough],
    );
    // An empty answer moves nothing: a change may be committed between this call and the next.
    if (rows.length > 0)
      this.#closedThrough = rows.reduce((min, row) => Math.min(min, row.seq - 1), Number.MAX_SAFE_INTEGER);
    return rows.map((row) => row.interaction_id);
  }
}

const TURNS_SQL = `
SELECT s.session_id, s.group_id, s.state AS session_state, s.turn_discount, i.interaction_id, i.ordinal, i.state,
  i.distorted, i.temperature, COALESCE(LENGTH(i.output_token_ids), 0) / 4 AS output_tokens, r.value AS reward,
  CASE WHEN m.interaction_id IS NOT NULL THEN 'batch' WHEN d.interaction_id IS NOT NULL THEN 'dropped' END AS closed
FROM sessions s JOIN interactions i USING (session_id)
LEFT JOIN rewards r USING (interaction_id) LEFT JOIN batch_items m USING (interaction_id)
LEFT JOIN dropped d USING (interaction_id)
WHERE s.session_id IN (SELECT o.session_id FROM json_each(?) j JOIN interactions o ON o.interaction_id = j.value)
ORDER BY s.ended_at IS NULL, s.ended_at, s.session_id, i.ordinal`;

interface TurnRow {
  readonly session_id: string;
  readonly group_id: string;
  readonly session_state: 'open' | 'ended';
  readonly turn_discount: number;
  readonly interaction_id: string;
  readonly ordinal: number;
  readonly state: InteractionState;
  readonly distorted: number;
  readonly temperature: number;
  readonly output_tokens: number;
  readonly reward: number | null;
  readonly closed: 'batch' | 'dropped' | null;
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
}

function toSessionFacts(row: TurnRow): SessionFacts {
  return {
    sessionId: row.session_id,
    groupId: row.group_id,
    state: row.session_state,
    turnDiscount: row.turn_discount,
  };
}

function toTurnFacts(row: TurnRow): TurnFacts {
  return {
    interactionId: interactionId(row.interaction_id),
    ordinal: row.ordinal,
    state: row.state,
    distorted: row.distorted === 1,
    temperature: row.temperature,
    outputTokens: row.output_tokens,
    reward: row.reward,
    closed: row.closed,
  };
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
