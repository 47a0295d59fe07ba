import { type InteractionId, interactionId, type SessionId } from '../../shared/domain/ids';
import type { InteractionState } from '../../shared/domain/interaction';
import type { DiscountMode, SessionEndReason, UnratedPolicy } from '../../shared/domain/session';
import type { SessionFacts, TurnFacts } from '../../shared/domain/turn-facts';
import type { Database } from './database';

/** A session as the reward rules see it; turns in arrival order. */
export interface SessionTurns {
  readonly session: SessionFacts;
  readonly turns: readonly TurnFacts[];
}

const SESSIONS_PER_PAGE = 64;

/** What the reward rules need, read without a single token; and which sessions still have to be looked through. */
export class TurnFactsStore {
  // In memory: a claim is worth as much as the connection of who waits.
  readonly #claims = new Map<string, number>();

  constructor(private readonly database: Database) {}

  ofSession(id: SessionId): SessionTurns | null {
    return this.#read([id])[0] ?? null;
  }

  /** Ended sessions that may hold something to train or to drop, oldest ended first; read page by page as it is used. */
  *pendingSessions(): Generator<SessionTurns> {
    let after: PageEnd = { ended_at: Number.MIN_SAFE_INTEGER, session_id: '' };
    for (;;) {
      const page = this.database.all<PageEnd>(PENDING_SQL, [after.ended_at, after.session_id, SESSIONS_PER_PAGE]);
      const last = page.at(-1);
      if (last === undefined) return;
      yield* this.#read(page.map((row) => row.session_id).filter((id) => !this.#claims.has(id)));
      after = last;
    }
  }

  /** Nothing is left to train or drop in it; a later rating brings it back. */
  markLookedThrough(sessionId: string): void {
    this.database.run("UPDATE sessions SET pending = 0 WHERE session_id = ? AND state = 'ended'", [sessionId]);
  }

  /** Keeps a session out of batches while a trainer outside waits for its end. @returns gives the claim back */
  claim(id: SessionId): () => void {
    this.#claims.set(id, (this.#claims.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#claims.get(id) ?? 1) - 1;
      if (left === 0) this.#claims.delete(id);
      else this.#claims.set(id, left);
    };
  }

  /** Marks an ended session as taken by a trainer outside. @returns false when it was taken before */
  markTaken(id: SessionId, at: number): boolean {
    const outcome = this.database.run(
      "UPDATE sessions SET taken_at = ? WHERE session_id = ? AND state = 'ended' AND taken_at IS NULL",
      [at, id],
    );
    return outcome.changes === 1;
  }

  /** Ratings whose session is still open, in no batch and not dropped. */
  countOpenRated(): number {
    return this.database.get<{ n: number }>(OPEN_RATED_SQL)?.n ?? 0;
  }

  #read(ids: readonly string[]): SessionTurns[] {
    const sessions = new Map<string, { session: SessionFacts; turns: TurnFacts[] }>();
    for (const row of this.database.all<TurnRow>(TURNS_SQL, [JSON.stringify(ids)])) {
      let known = sessions.get(row.session_id);
      if (known === undefined) {
        known = { session: toSessionFacts(row), turns: [] };
        sessions.set(row.session_id, known);
      }
      if (row.interaction_id !== null) known.turns.push(toTurnFacts(row, row.interaction_id));
    }
    return [...sessions.values()];
  }
}

/** Must run on the partial index `sessions_pending`: it is asked at every rating and every end. */
export const PENDING_SQL = `SELECT ended_at, session_id FROM sessions
WHERE pending = 1 AND (ended_at, session_id) > (?, ?) ORDER BY ended_at, session_id LIMIT ?`;

const OPEN_RATED_SQL = `SELECT COUNT(*) AS n FROM sessions s JOIN interactions i USING (session_id)
JOIN rewards r USING (interaction_id)
LEFT JOIN batch_items m USING (interaction_id) LEFT JOIN dropped d USING (interaction_id)
WHERE s.pending = 1 AND s.ended_at IS NULL AND m.interaction_id IS NULL AND d.interaction_id IS NULL`;

const TURNS_SQL = `
SELECT s.session_id, s.group_id, s.state AS session_state, s.end_reason, s.turn_discount, s.discount_mode,
  s.unrated_policy, s.consumer = 'external' OR s.taken_at IS NOT NULL AS external,
  i.interaction_id, i.ordinal, i.parent_id, i.state, i.distorted, i.temperature,
  COALESCE(LENGTH(i.output_token_ids), 0) / 4 AS output_tokens, i.untrainable, i.undelivered, i.replaced_by,
  i.request_key, i.choice, i.created_at, r.value AS reward,
  CASE WHEN m.interaction_id IS NOT NULL THEN 'batch' WHEN d.interaction_id IS NOT NULL THEN 'dropped' END AS closed
FROM json_each(?) j JOIN sessions s ON s.session_id = j.value
LEFT JOIN interactions i ON i.session_id = s.session_id
LEFT JOIN rewards r ON r.interaction_id = i.interaction_id
LEFT JOIN batch_items m ON m.interaction_id = i.interaction_id
LEFT JOIN dropped d ON d.interaction_id = i.interaction_id
ORDER BY j.key, i.ordinal`;

interface PageEnd {
  readonly ended_at: number;
  readonly session_id: string;
}

interface TurnRow {
  readonly session_id: string;
  readonly group_id: string;
  readonly session_state: 'open' | 'ended';
  readonly end_reason: SessionEndReason | null;
  readonly turn_discount: number;
  readonly discount_mode: DiscountMode;
  readonly unrated_policy: UnratedPolicy;
  readonly external: number;
  /** null: the session has no interactions, and none of what follows */
  readonly interaction_id: string | null;
  readonly ordinal: number;
  readonly parent_id: string | null;
  readonly state: InteractionState;
  readonly distorted: number;
  readonly temperature: number;
  readonly output_tokens: number;
  readonly untrainable: string | null;
  readonly undelivered: number;
  readonly replaced_by: string | null;
  readonly request_key: string | null;
  readonly choice: number;
  readonly created_at: number;
  readonly reward: number | null;
  readonly closed: 'batch' | 'dropped' | null;
}

function toSessionFacts(row: TurnRow): SessionFacts {
  return {
    sessionId: row.session_id,
    groupId: row.group_id,
    state: row.session_state,
    endReason: row.end_reason,
    turnDiscount: row.turn_discount,
    discountMode: row.discount_mode,
    unratedPolicy: row.unrated_policy,
    isExternal: row.external === 1,
  };
}

function toTurnFacts(row: TurnRow, id: string): TurnFacts {
  return {
    interactionId: interactionId(id),
    ordinal: row.ordinal,
    parentId: row.parent_id === null ? null : interactionId(row.parent_id),
    state: row.state,
    distorted: row.distorted === 1,
    temperature: row.temperature,
    outputTokens: row.output_tokens,
    untrainable: row.untrainable,
    isUndelivered: row.undelivered === 1,
    isReplaced: row.replaced_by !== null,
    requestKey: row.request_key,
    requestId: requestIdOf(id, row.choice),
    createdAt: row.created_at,
    reward: row.reward,
    closed: row.closed,
  };
}

/** The id of choice 0: choice k of one request is called `<id>-<k>`. */
function requestIdOf(id: string, choice: number): InteractionId {
  const suffix = `-${choice}`;
  return interactionId(choice > 0 && id.endsWith(suffix) ? id.slice(0, -suffix.length) : id);
}
