import type { Database } from './database';

/** How a trainer died: by its own doing (crash, abort), or by a signal that it cannot send itself (kill, out of memory). */
export type DeathKind = 'crash' | 'kill';

/** How often the trainer died on a batch; kept over restarts, or a poison batch would never be recognised. */
export class CrashCounts {
  constructor(private readonly database: Database) {}

  /** @returns the count of this kind, this death included */
  add(batchId: number, kind: DeathKind = 'crash'): number {
    this.database.run(
      `INSERT INTO meta (key, value) VALUES (?, '1')
       ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
      [keyOf(batchId, kind)],
    );
    return this.count(batchId, kind);
  }

  count(batchId: number, kind: DeathKind = 'crash'): number {
    return Number(
      this.database.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [keyOf(batchId, kind)])?.value ?? 0,
    );
  }
}

const keyOf = (batchId: number, kind: DeathKind): string =>
  kind === 'crash' ? `trainer-crashes:${batchId}` : `trainer-kills:${batchId}`;
