import { groupId, raterId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { Session, SessionEndReason, SessionSource } from '../../shared/domain/session';
import type { Database, SqlValue } from './database';

/** Which sessions to list; all conditions must hold. */
export interface SessionFilter {
  readonly state?: Session['state'];
  readonly source?: SessionSource;
  readonly taskId?: string;
  readonly groupId?: string;
  readonly consumer?: Session['consumer'];
  readonly endReason?: SessionEndReason;
  /** part of the session's id, task, group or rater, in any case; what was said is not searched */
  readonly text?: string;
}

/** A session with what a list shows beside it. */
export interface SessionCounts {
  readonly session: Session;
  readonly interactionCount: number;
  readonly ratedCount: number;
}

/** More open sessions than anybody works with at once; others are read again. */
const MOST_KNOWN = 20_000;

/**
 * The `sessions` table.
 *
 * Open sessions that were asked for by their keys are kept in memory, because every request asks; whatever changes one
 * forgets it.
 */
export class SessionStore {
  readonly #openByKey = new Map<string, Session>();
  readonly #keys = new Map<SessionId, string>();

  constructor(private readonly database: Database) {}

  /** @throws DatabaseError `constraint` when an open session already has the key or the id exists */
  insert(session: Session): void {
    this.database.run(
      `INSERT INTO sessions (session_id, task_id, group_id, api_key, source, rater_id, turn_discount, discount_mode,
         unrated_policy, consumer, state, created_at, ended_at, end_reason, taken_at, last_access_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        session.id,
        session.taskId,
        session.groupId,
        session.apiKey,
        session.source,
        session.raterId,
        session.turnDiscount,
        session.discountMode,
        session.unratedPolicy,
        session.consumer,
        session.state,
        session.createdAt,
        session.endedAt,
        session.endReason,
        session.takenAt,
        session.lastAccessAt,
      ],
    );
  }

  find(id: SessionId): Session | null {
    return toSession(this.database.get<SessionRow>('SELECT * FROM sessions WHERE session_id = ?', [id]));
  }

  /** The open session of a key; at most one exists. */
  findOpenByKey(apiKey: string): Session | null {
    const known = this.#openByKey.get(apiKey);
    if (known !== undefined) return known;
    const session = toSession(
      this.database.get<SessionRow>("SELECT * FROM sessions WHERE api_key = ? AND state = 'open'", [apiKey]),
    );
    // What a transaction sees of itself may be rolled back.
    if (session !== null && !this.database.isInTransaction) this.#keep(session);
    return session;
  }

  /** Its insert is committed: the first call of its key need not read it. */
  noteOpened(session: Session): void {
    this.#keep(session);
  }

  /** The newest session a key ever had, open or ended. */
  findNewestByKey(apiKey: string): Session | null {
    return toSession(
      this.database.get<SessionRow>(
        'SELECT * FROM sessions WHERE api_key = ? ORDER BY created_at DESC, ended_at IS NULL DESC LIMIT 1',
        [apiKey],
      ),
    );
  }

  /**
   * The next free k of `<task_id>-<k>`: one more than the greatest there is, whatever task its row names.
   *
   * A count is not enough: rows of a damaged database may be lost.
   */
  nextOfTask(taskId: string): number {
    const prefix = `${taskId}-`;
    const row = this.database.get<{ last: number | null }>(NEWEST_OF_TASK_SQL, [prefix, prefix, prefix]);
    return (row?.last ?? -1) + 1;
  }

  /** Whether this gateway ever issued the key. */
  isKnownKey(apiKey: string): boolean {
    return this.database.get('SELECT 1 AS known FROM sessions WHERE api_key = ? LIMIT 1', [apiKey]) !== undefined;
  }

  /** @returns false when it was not open */
  end(id: SessionId, at: number, reason: SessionEndReason): boolean {
    this.#forget(id);
    const outcome = this.database.run(
      "UPDATE sessions SET state = 'ended', ended_at = ?, end_reason = ? WHERE session_id = ? AND state = 'open'",
      [at, reason, id],
    );
    return outcome.changes === 1;
  }

  /** No trainer outside waits for it any more: it is trained here, and must be looked through for that once more. */
  giveBack(id: SessionId): void {
    this.#forget(id);
    this.database.run("UPDATE sessions SET consumer = 'plaudit', pending = 1 WHERE session_id = ?", [id]);
  }

  /** An ended session becomes an aborted one. */
  markAborted(id: SessionId): void {
    this.database.run("UPDATE sessions SET end_reason = 'abort' WHERE session_id = ? AND state = 'ended'", [id]);
  }

  /** @returns false when it is not open */
  touch(id: SessionId, at: number): boolean {
    const { changes } = this.database.run(
      "UPDATE sessions SET last_access_at = ? WHERE session_id = ? AND state = 'open'",
      [at, id],
    );
    const known = this.#openByKey.get(this.#keys.get(id) ?? '');
    if (changes === 1 && known !== undefined) this.#openByKey.set(known.apiKey, { ...known, lastAccessAt: at });
    return changes === 1;
  }

  /** Open agent sessions without a call since `before`, oldest first. Reads open sessions only, however many ended. */
  listIdleAgents(before: number): SessionId[] {
    return this.database
      .all<{ session_id: string }>(IDLE_AGENTS_SQL, [before])
      .map(({ session_id }) => sessionId(session_id));
  }

  countOpenAgents(): Record<Session['consumer'], number> {
    const rows = this.database.all<{ consumer: Session['consumer']; n: number }>(
      `SELECT consumer, COUNT(*) AS n FROM sessions INDEXED BY sessions_open_key
       WHERE state = 'open' AND source = 'agent' GROUP BY consumer`,
    );
    const of = (consumer: Session['consumer']): number => rows.find((row) => row.consumer === consumer)?.n ?? 0;
    return { plaudit: of('plaudit'), external: of('external') };
  }

  /** Newest first. */
  list(filter: SessionFilter, page: { readonly limit: number; readonly offset: number }): SessionCounts[] {
    const { where, params } = conditions(filter, '+');
    return this.database
      .all<SessionRow & { interaction_count: number; rated_count: number }>(
        `SELECT s.*,
           (SELECT COUNT(*) FROM interactions i WHERE i.session_id = s.session_id) AS interaction_count,
           (SELECT COUNT(*) FROM interactions i JOIN rewards r USING (interaction_id) WHERE i.session_id = s.session_id)
             AS rated_count
         FROM sessions s ${where} ORDER BY s.created_at DESC, s.session_id DESC LIMIT ? OFFSET ?`,
        [...params, page.limit, page.offset],
      )
      .map((row) => ({
        session: toKnownSession(row),
        interactionCount: row.interaction_count,
        ratedCount: row.rated_count,
      }));
  }

  count(filter: SessionFilter): number {
    const { where, params } = conditions(filter, '');
    return this.database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM sessions s ${where}`, params)?.n ?? 0;
  }

  #keep(session: Session): void {
    if (this.#openByKey.size >= MOST_KNOWN) {
      this.#openByKey.clear();
      this.#keys.clear();
    }
    this.#openByKey.set(session.apiKey, session);
    this.#keys.set(session.id, session.apiKey);
  }

  #forget(id: SessionId): void {
    this.#openByKey.delete(this.#keys.get(id) ?? '');
    this.#keys.delete(id);
  }
}

/** Must run on the partial index of open sessions: it is asked every minute, and ended ones are never removed. */
export const IDLE_AGENTS_SQL = `SELECT session_id FROM sessions INDEXED BY sessions_open_key
WHERE state = 'open' AND source = 'agent' AND last_access_at < ? ORDER BY last_access_at`;

/** Between `-0` and `-:` lie the ids that go on with a digit: one range of the key, without the tasks `<task_id>-…`. */
export const NEWEST_OF_TASK_SQL = `SELECT MAX(CAST(k AS INTEGER)) AS last FROM (
  SELECT SUBSTR(session_id, LENGTH(?) + 1) AS k FROM sessions WHERE session_id >= ? || '0' AND session_id < ? || ':')
WHERE k NOT GLOB '*[^0-9]*' AND LENGTH(k) <= 15`;

interface SessionRow {
  readonly session_id: string;
  readonly task_id: string;
  readonly group_id: string;
  readonly api_key: string;
  readonly source: SessionSource;
  readonly rater_id: string | null;
  readonly turn_discount: number;
  readonly discount_mode: Session['discountMode'];
  readonly unrated_policy: Session['unratedPolicy'];
  readonly consumer: Session['consumer'];
  readonly state: Session['state'];
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly end_reason: SessionEndReason | null;
  readonly taken_at: number | null;
  readonly last_access_at: number;
}

function toSession(row: SessionRow | undefined): Session | null {
  return row === undefined ? null : toKnownSession(row);
}

function toKnownSession(row: SessionRow): Session {
  return {
    id: sessionId(row.session_id),
    taskId: row.task_id,
    groupId: groupId(row.group_id),
    apiKey: row.api_key,
    source: row.source,
    raterId: row.rater_id === null ? null : raterId(row.rater_id),
    turnDiscount: row.turn_discount,
    discountMode: row.discount_mode,
    unratedPolicy: row.unrated_policy,
    consumer: row.consumer,
    state: row.state,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    takenAt: row.taken_at,
    lastAccessAt: row.last_access_at,
  };
}

/**
 * @param plus - '+' keeps a list, which is read in the order of time, off the index that only counts are good for
 */
function conditions(filter: SessionFilter, plus: '+' | ''): { readonly where: string; readonly params: SqlValue[] } {
  const parts: [sql: string, value: SqlValue | undefined][] = [
    [`${plus}s.state = ?`, filter.state],
    [`${plus}s.source = ?`, filter.source],
    ['s.task_id = ?', filter.taskId],
    ['s.group_id = ?', filter.groupId],
    ['s.consumer = ?', filter.consumer],
    ['s.end_reason = ?', filter.endReason],
    [NAMES_HOLD_SQL, filter.text?.toLowerCase()],
  ];
  const wanted = parts.filter((part): part is [string, SqlValue] => part[1] !== undefined);
  const where = wanted.length === 0 ? '' : `WHERE ${wanted.map(([sql]) => sql).join(' AND ')}`;
  return { where, params: wanted.map(([, value]) => value) };
}

/** A line between the names, so that a match cannot begin in one and end in the next. */
const NAMES_HOLD_SQL = `INSTR(LOWER(s.session_id || char(10) || s.task_id || char(10) || s.group_id || char(10) ||
  COALESCE(s.rater_id, '')), ?) > 0`;
