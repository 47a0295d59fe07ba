import { type InteractionId, interactionId, type RaterId, raterId, type SessionId } from '../../shared/domain/ids';
import type { Reward } from '../../shared/domain/reward';
import type { Database } from './database';
import { type RatingStanding, STANDING_COLUMNS, type StandingRow, standingJoins, toStanding } from './rating-standing';

export type { RatingStanding } from './rating-standing';

/** One change of a rating; `value` null = withdrawn. */
export interface RewardChange {
  readonly value: number | null;
  readonly raterId: RaterId | null;
  readonly note: string | null;
  /** milliseconds since the epoch */
  readonly at: number;
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
    const rows = this.database.all<StandingRow & { interaction_id: string }>(`${STANDING_SQL} WHERE i.session_id = ?`, [
      id,
    ]);
    return new Map(rows.map((row) => [interactionId(row.interaction_id), toStanding(row)]));
  }

  /** Every change ever made, oldest first. */
  history(id: InteractionId): RewardChange[] {
    return this.database
      .all<{ value: number | null; rater_id: string | null; note: string | null; at: number }>(
        'SELECT value, rater_id, note, at FROM reward_history WHERE interaction_id = ? ORDER BY seq',
        [id],
      )
      .map(({ value, rater_id, note, at }) => ({
        value,
        raterId: rater_id === null ? null : raterId(rater_id),
        note,
        at,
      }));
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

const STANDING_SQL = `SELECT i.interaction_id, ${STANDING_COLUMNS} FROM interactions i
LEFT JOIN rewards r USING (interaction_id) ${standingJoins('i.interaction_id')}`;

function toReward(row: RewardRow): Reward {
  return {
    interactionId: interactionId(row.interaction_id),
    value: row.value,
    raterId: row.rater_id === null ? null : raterId(row.rater_id),
    note: row.note,
    ratedAt: row.rated_at,
  };
}
