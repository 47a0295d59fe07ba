import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { Database } from './database';

/** The `dropped` table: rows that will never be trained, each with its reason in words for the rater. */
export class DroppedStore {
  constructor(private readonly database: Database) {}

  /** The first reason stays: a row is dropped once. */
  add(id: InteractionId, reason: string, at: number): void {
    this.database.run(
      'INSERT INTO dropped (interaction_id, reason, at) VALUES (?, ?, ?) ON CONFLICT (interaction_id) DO NOTHING',
      [id, reason, at],
    );
  }

  /** Every member of a batch that ended without training. */
  addBatch(batchId: number, reason: string, at: number): void {
    this.database.run(
      `INSERT INTO dropped (interaction_id, reason, at) SELECT interaction_id, ?, ? FROM batch_items WHERE batch_id = ?
       ON CONFLICT (interaction_id) DO NOTHING`,
      [reason, at, batchId],
    );
  }

  /** Every answer of a session that is not in a batch. */
  addSession(id: SessionId, reason: string, at: number): void {
    this.database.run(
      `INSERT INTO dropped (interaction_id, reason, at) SELECT interaction_id, ?, ? FROM interactions i
       WHERE session_id = ? AND NOT EXISTS (SELECT 1 FROM batch_items m WHERE m.interaction_id = i.interaction_id)
       ON CONFLICT (interaction_id) DO NOTHING`,
      [reason, at, id],
    );
  }

  /** Opens the rows of a session again that were dropped for this reason. */
  reopen(id: SessionId, reason: string): void {
    this.database.run(
      `DELETE FROM dropped WHERE reason = ? AND interaction_id IN
         (SELECT interaction_id FROM interactions WHERE session_id = ?)`,
      [reason, id],
    );
  }
}
