import { groupId, raterId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { Session, SessionEndReason, SessionSource } from '../../shared/domain/session';
import type { Database, SqlValue } from './database';

/** Which sessions to list; all conditions must hold. */
export interface SessionFilter {
  readonly state?: Session['state'];
  readonly source?: SessionSource;
}

/** A session with what a list shows beside it. */
export interface SessionCounts {
  readonly session: Session;
  readonly interactionCount: number;
  readonly ratedCount: number;
}

/** The `sessions` table. */
export class SessionStore {
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
    return toSession(
      this.database.get<SessionRow>("SELECT * FROM sessions WHERE api_key = ? AND state = 'open'", [apiKey]),
    );
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

  /** How many sessions a task ever had: the next free k of `<task_id>-<k>`, since no session is ever removed. */
  countOfTask(taskId: string): number {
    return this.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM sessions WHERE task_id = ?', [taskId])?.n ?? 0;
  }

  /** @returns false when it was not open */
  end(id: SessionId, at: number, reason: SessionEndReason): boolean {
    const outcome = this.database.run(
      "UPDATE sessions SET state = 'ended', ended_at = ?, end_reason = ? WHERE session_id = ? AND state = 'open'",
      [at, reason, id],
    );
    return outcome.changes === 1;
  }

  touch(id: SessionId, at: number): void {
    this.database.run('UPDATE sessions SET last_access_at = ? WHERE session_id = ?', [at, id]);
  }

  /** Open sessions without a call since `before`, oldest first. */
  listIdle(before: number): Session[] {
    return this.database
      .all<SessionRow>("SELECT * FROM sessions WHERE state = 'open' AND last_access_at < ? ORDER BY last_access_at", [
        before,
      ])
      .map(toKnownSession);
  }

  /** Newest first. */
  list(filter: SessionFilter, page: { readonly limit: number; readonly offset: number }): SessionCounts[] {
    const { where, params } = conditions(filter);
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
    const { where, params } = conditions(filter);
    return this.database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM sessions s ${where}`, params)?.n ?? 0;
  }
}

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

function conditions(filter: SessionFilter): { readonly where: string; readonly params: SqlValue[] } {
  const parts: [sql: string, value: SqlValue][] = [];
  if (filter.state !== undefined) parts.push(['s.state = ?', filter.state]);
  if (filter.source !== undefined) parts.push(['s.source = ?', filter.source]);
  const where = parts.length === 0 ? '' : `WHERE ${parts.map(([sql]) => sql).join(' AND ')}`;
  return { where, params: parts.map(([, value]) => value) };
}
