import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { Database } from './database';

/** A row that a batch holds and no dump file has yet. */
export interface PendingDump {
  readonly interactionId: InteractionId;
  readonly reward: number;
  readonly originalReward: number | null;
}

/** The `dumped` table: which rows are already in a dump file. */
export class DumpedStore {
  constructor(private readonly database: Database) {}

  /** Oldest batch first. A batch's rewards are final, so each row is written once and never again. */
  pending(limit: number): PendingDump[] {
    return this.database
      .all<PendingRow>(
        `SELECT m.interaction_id, m.reward, r.value AS original_reward FROM batch_items m
         LEFT JOIN rewards r USING (interaction_id) LEFT JOIN dumped d USING (interaction_id)
         WHERE d.interaction_id IS NULL ORDER BY m.batch_id, m.position LIMIT ?`,
        [limit],
      )
      .map((row) => ({
        interactionId: interactionId(row.interaction_id),
        reward: row.reward,
        originalReward: row.original_reward,
      }));
  }

  mark(entries: readonly { readonly id: InteractionId; readonly file: string }[], at: number): void {
    this.database.transaction(() => {
      for (const { id, file } of entries) {
        this.database.run(
          'INSERT INTO dumped (interaction_id, file, at) VALUES (?, ?, ?) ON CONFLICT (interaction_id) DO NOTHING',
          [id, file, at],
        );
      }
    });
  }
}

interface PendingRow {
  readonly interaction_id: string;
  readonly reward: number;
  readonly original_reward: number | null;
}
