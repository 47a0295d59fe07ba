import type { Database } from './database';

/** A batch that the trainer passed over: HEAD.json says so, hence nothing of it was trained. */
export interface SetAsideBatch {
  readonly batchId: number;
  /** ratings it holds */
  readonly ratings: number;
  /** in words for a person */
  readonly reason: string;
  /** milliseconds since the epoch */
  readonly at: number;
}

/** Batches in state `skipped` that a person has not decided about yet. */
export class SetAsideStore {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  list(): SetAsideBatch[] {
    return this.database
      .all<{ batch_id: number; ratings: number; reason: string | null; acked_at: number | null }>(
        `SELECT b.batch_id, COUNT(r.interaction_id) AS ratings, MIN(d.reason) AS reason, b.acked_at
         FROM batches b JOIN batch_items m ON m.batch_id = b.batch_id
         LEFT JOIN rewards r ON r.interaction_id = m.interaction_id
         LEFT JOIN dropped d ON d.interaction_id = m.interaction_id
         WHERE b.state = 'skipped' AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'set-aside-closed:' || b.batch_id)
         GROUP BY b.batch_id ORDER BY b.batch_id`,
      )
      .map((row) => ({
        batchId: row.batch_id,
        ratings: row.ratings,
        reason: row.reason ?? 'the trainer passed it over',
        at: row.acked_at ?? 0,
      }));
  }

  /**
   * Gives the ratings of a set-aside batch back: they wait for a batch again, and may be changed until one takes them.
   *
   * @returns false when there is no such batch, or its ratings have been decided about before
   * @remarks The batch keeps its number and its state, so its number is never given to other rows.
   */
  release(batchId: number): boolean {
    return this.database.transaction(() => {
      if (!this.#isOpen(batchId)) return false;
      const members = 'SELECT interaction_id FROM batch_items WHERE batch_id = ?';
      this.database.run(
        `UPDATE sessions SET pending = 1 WHERE session_id IN
           (SELECT session_id FROM interactions WHERE interaction_id IN (${members}))`,
        [batchId],
      );
      this.database.run(`DELETE FROM dropped WHERE interaction_id IN (${members})`, [batchId]);
      this.database.run('DELETE FROM batch_items WHERE batch_id = ?', [batchId]);
      // A batch with fewer items than it says has lost some, which a recovery takes for damage.
      this.database.run('UPDATE batches SET trajectories = 0 WHERE batch_id = ?', [batchId]);
      this.#close(batchId, 'released');
      return true;
    });
  }

  /** Lets the ratings be: they stay dropped, and nothing asks about them again. @returns as {@link release} */
  dismiss(batchId: number): boolean {
    return this.database.transaction(() => {
      if (!this.#isOpen(batchId)) return false;
      this.#close(batchId, 'dismissed');
      return true;
    });
  }

  #isOpen(batchId: number): boolean {
    return this.list().some((batch) => batch.batchId === batchId);
  }

  #close(batchId: number, how: string): void {
    this.database.run('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING', [
      `set-aside-closed:${batchId}`,
      how,
    ]);
  }
}
