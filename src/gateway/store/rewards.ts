import { type InteractionId, interactionId, type RaterId, raterId, type SessionId } from '../../shared/domain/ids';
import type { RatingState, Reward } from '../../shared/domain/reward';
import type { Database } from './database';

/**
 * Where a rating stands, read from the tables that decide it.
 *
 * `batchId` and `version` say which batch holds it and which version it was trained into; `reason` why it was dropped.
 */
export interface RatingStanding {
  readonly state: RatingState;
  readonly reward: number | null;
  readonly batchId: number | null;
  readonly version: number | null;
  readonly reason: string | null;
}

/** The `rewards` table and its history. Whether a change is allowed is decided by the caller, in one transaction. */
export class RewardStore {
  constructor(private readonly database: Database) {}

  find(id: InteractionId): Reward | null {
    const row = this.database.get<RewardRow>('SELECT * FROM rewards WHERE interaction_id = ?', [id]);
    return row === undefined ? null : toReward(row);
  }

  /** Sets or replaces the current value and appends it to the history. */
  set(reward: Reward): void {
    this.database.transaction(() => {
      this.database.run(
        `INSERT INTO rewards (interaction_id, value, rater_id, note, rated_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (interaction_id) DO UPDATE SET value = excluded.value, rater_id = excluded.rater_id,
           note = excluded.note, rated_at = excluded.rated_at`,
        [reward.interactionId, reward.value, reward.raterId, reward.note, reward.ratedAt],
      );
      this.#remember(reward.interactionId, reward);
    });
  }

  /** Removes the current value; the history keeps that there was one. */
  withdraw(id: InteractionId, at: number): void {
    this.database.transaction(() => {
      this.database.run('DELETE FROM rewards WHERE interaction_id = ?', [id]);
      this.#remember(id, { value: null, raterId: null, note: null, ratedAt: at });
    });
  }

  /** In arrival order of their interactions. */
  listOfSession(id: SessionId): Reward[] {
    return this.database
      .all<RewardRow>(
        `SELECT r.* FROM rewards r JOIN interactions i USING (interaction_id) WHERE i.session_id = ? ORDER BY i.ordinal`,
        [id],
      )
      .map(toReward);
  }

  standing(id: InteractionId): RatingStanding {
    return toStanding(this.database.get<StandingRow>(`${STANDING_SQL} WHERE i.interaction_id = ?`, [id]));
  }

  /** Standing of every interaction of a session, by id. */
  standingsOfSession(id: SessionId): ReadonlyMap<InteractionId, RatingStanding> {
    const rows = this.database.all<StandingRow>(`${STANDING_SQL} WHERE i.session_id = ?`, [id]);
    return new Map(rows.map((row) => [interactionId(row.interaction_id), toStanding(row)]));
  }

  #remember(
    id: InteractionId,
    entry: { value: number | null; raterId: RaterId | null; note: string | null; ratedAt: number },
  ): void {
    this.database.run('INSERT INTO reward_history (interaction_id, value, rater_id, note, at) VALUES (?, ?, ?, ?, ?)', [
      id,
      entry.value,
      entry.raterId,
      entry.note,
      entry.ratedAt,
    ]);
  }
}

interface RewardRow {
  readonly interaction_id: string;
  readonly value: number;
  readonly rater_id: string | null;
  readonly note: string | null;
  readonly rated_at: number;
}

interface StandingRow {
  readonly interaction_id: string;
  readonly value: number | null;
  readonly batch_id: number | null;
  readonly batch_state: string | null;
  readonly version: number | null;
  readonly reason: string | null;
}

const STANDING_SQL = `
SELECT i.interaction_id, r.value, b.batch_id, b.state AS batch_state, b.version, d.reason
FROM interactions i
LEFT JOIN rewards r USING (interaction_id)
LEFT JOIN batch_items m USING (interaction_id)
LEFT JOIN batches b ON b.batch_id = m.batch_id
LEFT JOIN dropped d ON d.interaction_id = i.interaction_id`;

function toReward(row: RewardRow): Reward {
  return {
    interactionId: interactionId(row.interaction_id),
    value: row.value,
    raterId: row.rater_id === null ? null : raterId(row.rater_id),
    note: row.note,
    ratedAt: row.rated_at,
  };
}

function toStanding(row: StandingRow | undefined): RatingStanding {
  const reward = row?.value ?? null;
  const nothing = { reward, batchId: null, version: null, reason: null };
  if (row === undefined) return { state: 'unrated', ...nothing };
  if (row.batch_id !== null) {
    const batch = { reward, batchId: row.batch_id, version: row.version };
    // A batch that ended without changing the weights used its ratings up without training on them.
    switch (row.batch_state) {
      case 'formed':
      case 'spooled':
        return { state: 'in-batch', ...batch, reason: null };
      case 'trained':
        return { state: 'trained', ...batch, reason: null };
      default:
        return { state: 'dropped', ...batch, reason: row.reason ?? row.batch_state };
    }
  }
  if (row.reason !== null) return { state: 'dropped', ...nothing, reason: row.reason };
  return { state: reward === null ? 'unrated' : 'waiting', ...nothing };
}
