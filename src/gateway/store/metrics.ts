import type { TrainingMetrics } from '../../shared/wire/rl';
import type { Database } from './database';

type MetricValues = Readonly<Record<string, number | null>>;

/** The `training_metrics` table: what the trainer reported of each batch. */
export class MetricsStore {
  constructor(private readonly database: Database) {}

  /** A repeated report of the same batch and version replaces the earlier one; NaN and infinities become null. */
  put(report: {
    readonly batchId: number;
    readonly version: number;
    readonly values: MetricValues;
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

  /** True when some settled batch has no report. */
  isIncomplete(): boolean {
    return (
      this.database.get(
        `SELECT 1 AS one FROM batches b WHERE b.state IN ('trained', 'no_signal', 'too_stale')
         AND NOT EXISTS (SELECT 1 FROM training_metrics m WHERE m.batch_id = b.batch_id) LIMIT 1`,
      ) !== undefined
    );
  }

  /**
   * Takes over a report that was read back from the trainer's own record, unless the batch has one already or is not ours.
   *
   * @returns true when it was taken over; its time is that of the batch's end
   */
  restore(report: { readonly batchId: number; readonly version: number; readonly values: MetricValues }): boolean {
    const batch = this.database.get<{ acked_at: number | null }>(
      `SELECT acked_at FROM batches b WHERE batch_id = ? AND acked_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM training_metrics m WHERE m.batch_id = b.batch_id)`,
      [report.batchId],
    );
    if (batch === undefined) return false;
    this.put({ ...report, at: batch.acked_at ?? 0 });
    return true;
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
