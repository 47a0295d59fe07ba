import type { RatingState } from '../../shared/domain/reward';

/**
 * Where a rating stands, read from the tables that decide it: the only place where that rule is written.
 *
 * `batchId` and `version` say which batch holds it and which version it was trained into; `reason` why it was dropped.
 * The raw value, the return after turn discount and the advantage are kept apart; the latter two are known once a
 * batch holds the row.
 */
export interface RatingStanding {
  readonly state: RatingState;
  readonly reward: number | null;
  readonly discountedReward: number | null;
  readonly normalisedReward: number | null;
  readonly batchId: number | null;
  readonly version: number | null;
  readonly reason: string | null;
}

/** Columns of {@link StandingRow}; needs a `rewards r` and {@link standingJoins}. */
export const STANDING_COLUMNS = `r.value, m.reward AS discounted, m.normalised, b.batch_id, b.version,
CASE
  WHEN b.state IN ('formed', 'spooled') THEN 'in-batch'
  -- a row that the trainer left out of a batch it trained is dropped, with its own reason
  WHEN d.reason IS NOT NULL THEN 'dropped'
  WHEN b.state = 'trained' THEN 'trained'
  -- a batch that ended without new weights has used its ratings up untrained
  WHEN b.state IS NOT NULL THEN 'dropped'
  WHEN r.value IS NOT NULL THEN 'waiting'
  ELSE 'unrated' END AS standing,
CASE WHEN b.state IN ('formed', 'spooled') THEN NULL
  ELSE COALESCE(d.reason, CASE WHEN b.state <> 'trained' THEN b.state END) END AS drop_reason`;

/**
 * Joins what decides a standing, but for the reward itself, which the caller joins as `r`.
 *
 * @param id - the column that holds the interaction's id
 */
export const standingJoins = (id: string): string => `LEFT JOIN batch_items m ON m.interaction_id = ${id}
LEFT JOIN batches b ON b.batch_id = m.batch_id
LEFT JOIN dropped d ON d.interaction_id = ${id}`;

export interface StandingRow {
  readonly value: number | null;
  readonly discounted: number | null;
  readonly normalised: number | null;
  readonly batch_id: number | null;
  readonly version: number | null;
  readonly standing: RatingState;
  readonly drop_reason: string | null;
}

/** An interaction that does not exist stands like one that nobody rated. */
export function toStanding(row: StandingRow | undefined): RatingStanding {
  return {
    state: row?.standing ?? 'unrated',
    reward: row?.value ?? null,
    discountedReward: row?.discounted ?? null,
    normalisedReward: row?.normalised ?? null,
    batchId: row?.batch_id ?? null,
    version: row?.version ?? null,
    reason: row?.drop_reason ?? null,
  };
}
