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

/** Which open sessions were given to a trainer outside that waited for one; a restart must not forget them. */
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

  /** Oldest session first. */
  list(): SessionId[] {
    return this.database
      .all<{ session_id: string }>(
        `SELECT s.session_id FROM meta m JOIN sessions s ON s.session_id = SUBSTR(m.key, ?)
         WHERE m.key > ? AND m.key < ? ORDER BY s.created_at, s.session_id`,
        [AWAITED.length + 1, AWAITED, `${AWAITED.slice(0, -1)};`],
      )
      .map(({ session_id }) => sessionId(session_id));
  }
}
