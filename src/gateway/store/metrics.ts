import type { TrainingMetrics } from '../../shared/wire/rl';
import type { Database } from './database';

/** The `training_metrics` table: what the trainer reported of each batch. */
export class MetricsStore {
  constructor(private readonly database: Database) {}

  /** A repeated report of the same batch and version replaces the earlier one; NaN and infinities become null. */
  put(report: {
    readonly batchId: number;
    readonly version: number;
    readonly values: Readonly<Record<string, number | null>>;
    readonly at: number;
  }): void {
    const finite = Object.entries(report.values).map(([name, value]) => [
      name,
      value !== null && Number.isFinite(value) ? value : null,
    ]);
    this.database.run(
      `INSERT INTO training_metrics (batch_id, version, at, metrics) VALUES (?, ?, ?, ?)
       ON CONFLICT (batch_id, version) DO UPDATE SET metrics = excluded.metrics`,
      [report.batchId, report.version, report.at, JSON.stringify(Object.fromEntries(finite))],
    );
  }

  has(batchId: number): boolean {
    return this.database.get('SELECT 1 AS one FROM training_metrics WHERE batch_id = ?', [batchId]) !== undefined;
  }

  /** Oldest first. */
  list(): TrainingMetrics['batches'] {
    return this.database
      .all<MetricsRow>(
        `SELECT m.batch_id, m.version, m.at, m.metrics, b.state FROM training_metrics m LEFT JOIN batches b USING (batch_id)
         ORDER BY m.batch_id, m.version`,
      )
      .map((row) => ({
        batch_id: row.batch_id,
        version: row.version,
        status: row.state ?? 'unknown',
        at: new Date(row.at).toISOString(),
        values: JSON.parse(row.metrics) as Record<string, number | null>, // written by put only
      }));
  }
}

interface MetricsRow {
  readonly batch_id: number;
  readonly version: number;
  readonly at: number;
  readonly metrics: string;
  readonly state: string | null;
}
