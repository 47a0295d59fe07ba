import type { InteractionId } from '../../shared/domain/ids';
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
}
