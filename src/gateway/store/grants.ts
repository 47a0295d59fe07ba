import { type SessionId, sessionId } from '../../shared/domain/ids';
import type { Database } from './database';

const KEY = 'granted_sessions';

/** How many sessions a trainer outside has granted that nobody has used yet; survives a restart. */
export class GrantStore {
  constructor(private readonly database: Database) {}

  count(): number {
    const row = this.database.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [KEY]);
    return row === undefined ? 0 : Number(row.value);
  }

  /** Never below 0. @returns the new count */
  add(change: number): number {
    return this.database.transaction(() => {
      const count = Math.max(0, this.count() + change);
      this.database.run(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [KEY, String(count)],
      );
      return count;
    });
  }
}

const AWAITED = 'awaited_session:';

const TOLD = 'told ';
const GIVEN_BACK = 'given back';

/** A session that a trainer outside waits for, or was told of. */
export interface AwaitedSession {
  readonly id: SessionId;
  /** when a trainer was sent its end; null = not yet */
  readonly toldAt: number | null;
}

/**
 * Which sessions were given to a trainer outside that waited for one, until that trainer has taken them; a restart must
 * not forget them. A session that was given back stays known here: a trainer may have heard of it all the same.
 */
export class AwaitedSessions {
  constructor(private readonly database: Database) {}

  add(id: SessionId): void {
    this.database.run("INSERT INTO meta (key, value) VALUES (?, '')", [AWAITED + id]);
  }

  has(id: SessionId): boolean {
    return this.database.get('SELECT 1 AS known FROM meta WHERE key = ?', [AWAITED + id]) !== undefined;
  }

  remove(id: SessionId): void {
    this.database.run('DELETE FROM meta WHERE key = ?', [AWAITED + id]);
  }

  /** A trainer was sent the end of it; it has not been taken yet. */
  markTold(id: SessionId, at: number): void {
    this.#mark(id, TOLD + at);
  }

  /** Nobody took it in time: it is trained here. */
  markGivenBack(id: SessionId): void {
    this.#mark(id, GIVEN_BACK);
  }

  /** Those that were not given back, oldest session first. */
  list(): AwaitedSession[] {
    return this.database
      .all<{ session_id: string; value: string }>(
        `SELECT s.session_id, m.value FROM meta m JOIN sessions s ON s.session_id = SUBSTR(m.key, ?)
         WHERE m.key > ? AND m.key < ? AND m.value <> ? ORDER BY s.created_at, s.session_id`,
        [AWAITED.length + 1, AWAITED, `${AWAITED.slice(0, -1)};`, GIVEN_BACK],
      )
      .map(({ session_id, value }) => ({
        id: sessionId(session_id),
        toldAt: value.startsWith(TOLD) ? Number(value.slice(TOLD.length)) : null,
      }));
  }

  #mark(id: SessionId, value: string): void {
    this.database.run('UPDATE meta SET value = ? WHERE key = ?', [value, AWAITED + id]);
  }
}
