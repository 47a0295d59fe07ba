import type { Database } from './database';

/** How often the trainer died on a batch; kept over restarts, or a poison batch would never be recognised. */
export class CrashCounts {
  constructor(private readonly database: Database) {}

  /** @returns the count, this crash included */
  add(batchId: number): number {
    this.database.run(
      `INSERT INTO meta (key, value) VALUES (?, '1')
       ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
      [keyOf(batchId)],
    );
    return this.count(batchId);
  }

  count(batchId: number): number {
    return Number(
      this.database.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [keyOf(batchId)])?.value ?? 0,
    );
  }
}

const keyOf = (batchId: number): string => `trainer-crashes:${batchId}`;
