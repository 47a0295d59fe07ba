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
    const json = this.database.get<{ sessions: string }>(TURNS_SQL, [JSON.stringify(ids)])?.sessions ?? '[]';
    const rows = JSON.parse(json) as SessionRow[]; // made by TURNS_SQL
    const found = new Map(rows.map((row) => [row.session_id, row]));
    return ids.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [{ session: toSessionFacts(row), turns: row.turns.map(toTurnFacts) }];
    });
  }
}

/** Must run on the partial index `sessions_pending`: it is asked at every rating and every end. */
export const PENDING_SQL = `SELECT ended_at, session_id FROM sessions
WHERE pending = 1 AND (ended_at, session_id) > (?, ?) ORDER BY ended_at, session_id LIMIT ?`;

const OPEN_RATED_SQL = `SELECT COUNT(*) AS n FROM sessions s JOIN interactions i USING (session_id)
JOIN rewards r USING (interaction_id)
LEFT JOIN batch_items m USING (interaction_id) LEFT JOIN dropped d USING (interaction_id)
WHERE s.pending = 1 AND s.ended_at IS NULL AND m.interaction_id IS NULL AND d.interaction_id IS NULL`;

/** Numbers that must come through JSON to the last bit, as text: the database's own JSON keeps fifteen digits only. */
const exact = (column: string): string => `iif(${column} IS NULL, NULL, printf('%!.17g', ${column}))`;

// One value for the whole page: handing over ten thousand turns cell by cell takes a second, as JSON a tenth of it.
const TURNS_SQL = `
SELECT json_group_array(json_object('session_id', s.session_id, 'group_id', s.group_id, 'state', s.state,
  'end_reason', s.end_reason, 'turn_discount', ${exact('s.turn_discount')}, 'discount_mode', s.discount_mode,
  'unrated_policy', s.unrated_policy, 'external', s.consumer = 'external' OR s.taken_at IS NOT NULL,
  'turns', json((SELECT json_group_array(json_object('interaction_id', t.interaction_id, 'ordinal', t.ordinal,
      'parent_id', t.parent_id, 'state', t.state, 'distorted', t.distorted, 'temperature', ${exact('t.temperature')},
      'output_tokens', t.output_tokens, 'untrainable', t.untrainable, 'undelivered', t.undelivered,
      'replaced_by', t.replaced_by, 'request_key', t.request_key, 'choice', t.choice, 'created_at', t.created_at,
      'reward', ${exact('r.value')}, 'closed',
      CASE WHEN m.interaction_id IS NOT NULL THEN 'batch' WHEN d.interaction_id IS NOT NULL THEN 'dropped' END))
    FROM (SELECT *, COALESCE(LENGTH(output_token_ids), 0) / 4 AS output_tokens FROM interactions i
      WHERE i.session_id = s.session_id ORDER BY i.ordinal) t
    LEFT JOIN rewards r ON r.interaction_id = t.interaction_id
    LEFT JOIN batch_items m ON m.interaction_id = t.interaction_id
    LEFT JOIN dropped d ON d.interaction_id = t.interaction_id)))) AS sessions
FROM json_each(?) j JOIN sessions s ON s.session_id = j.value`;

interface PageEnd {
  readonly ended_at: number;
  readonly session_id: string;
}

interface SessionRow {
  readonly session_id: string;
  readonly group_id: string;
  readonly state: 'open' | 'ended';
  readonly end_reason: SessionEndReason | null;
  readonly turn_discount: string;
  readonly discount_mode: DiscountMode;
  readonly unrated_policy: UnratedPolicy;
  readonly external: number;
  readonly turns: readonly TurnRow[];
}

interface TurnRow {
  readonly interaction_id: string;
  readonly ordinal: number;
  readonly parent_id: string | null;
  readonly state: InteractionState;
  readonly distorted: number;
  readonly temperature: string;
  readonly output_tokens: number;
  readonly untrainable: string | null;
  readonly undelivered: number;
  readonly replaced_by: string | null;
  readonly request_key: string | null;
  readonly choice: number;
  readonly created_at: number;
  readonly reward: string | null;
  readonly closed: 'batch' | 'dropped' | null;
}

function toSessionFacts(row: SessionRow): SessionFacts {
  return {
    sessionId: row.session_id,
    groupId: row.group_id,
    state: row.state,
    endReason: row.end_reason,
    turnDiscount: Number(row.turn_discount),
    discountMode: row.discount_mode,
    unratedPolicy: row.unrated_policy,
    isExternal: row.external === 1,
  };
}

function toTurnFacts(row: TurnRow): TurnFacts {
  return {
    interactionId: interactionId(row.interaction_id),
    ordinal: row.ordinal,
    parentId: row.parent_id === null ? null : interactionId(row.parent_id),
    state: row.state,
    distorted: row.distorted === 1,
    temperature: Number(row.temperature),
    outputTokens: row.output_tokens,
    untrainable: row.untrainable,
    isUndelivered: row.undelivered === 1,
    isReplaced: row.replaced_by !== null,
    requestKey: row.request_key,
    requestId: requestIdOf(row.interaction_id, row.choice),
    createdAt: row.created_at,
    reward: row.reward === null ? null : Number(row.reward),
    closed: row.closed,
  };
}

/** The id of choice 0: choice k of one request is called `<id>-<k>`. */
function requestIdOf(id: string, choice: number): InteractionId {
  const suffix = `-${choice}`;
  return interactionId(choice > 0 && id.endsWith(suffix) ? id.slice(0, -suffix.length) : id);
}
