import type { Versions } from '../../shared/wire/rl';
import type { Database } from './database';

/** A weight version as the trainer committed it; `(version, incarnation)` names its bits uniquely. */
export interface StoredVersion {
  readonly version: number;
  readonly incarnation: number;
  /** relative to the run folder; version 0 is the model folder itself */
  readonly path: string;
  readonly batchId: number | null;
  readonly trainedAt: number | null;
  readonly servedAt: number | null;
}

/** The `versions` table. Versions are only ever added; a served one stays served. */
export class VersionStore {
  #newestNumber: number | null = null;

  constructor(private readonly database: Database) {}

  /**
   * Records a committed version. A newer incarnation of a known version replaces its path, an older one is ignored.
   *
   * @returns true when something changed
   */
  put(version: Omit<StoredVersion, 'servedAt'>): boolean {
    this.#newestNumber = null;
    const outcome = this.database.run(
      `INSERT INTO versions (version, incarnation, path, batch_id, trained_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (version) DO UPDATE SET incarnation = excluded.incarnation, path = excluded.path
       WHERE excluded.incarnation > versions.incarnation`,
      [version.version, version.incarnation, version.path, version.batchId, version.trainedAt],
    );
    return outcome.changes > 0;
  }

  /** The highest committed version; null before the run was set up. */
  newest(): StoredVersion | null {
    return toVersion(this.database.get<VersionRow>('SELECT * FROM versions ORDER BY version DESC LIMIT 1'));
  }

  /** Number of {@link newest}, 0 before there is one; every answer asks. */
  newestNumber(): number {
    const number = this.#newestNumber ?? this.newest()?.version ?? 0;
    // What a transaction sees of itself may be rolled back.
    if (!this.database.isInTransaction) this.#newestNumber = number;
    return number;
  }

  /** The highest version that ever answered. */
  newestServed(): StoredVersion | null {
    return toVersion(
      this.database.get<VersionRow>('SELECT * FROM versions WHERE served_at IS NOT NULL ORDER BY version DESC LIMIT 1'),
    );
  }

  /** Which incarnation of a version the engine was given last; null when it is not known. */
  servedIncarnation(version: number): number | null {
    const row = this.database.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [`served:${version}`]);
    return row === undefined ? null : Number(row.value);
  }

  /** @returns true when these bits had not been served before */
  markServed({ version, incarnation }: Pick<StoredVersion, 'version' | 'incarnation'>, at: number): boolean {
    const before = this.servedIncarnation(version);
    if (before !== incarnation)
      this.database.run(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [`served:${version}`, String(incarnation)],
      );
    const isFirst =
      this.database.run('UPDATE versions SET served_at = ? WHERE version = ? AND served_at IS NULL', [at, version])
        .changes === 1;
    return isFirst || (before !== null && before !== incarnation);
  }

  /** Oldest first, with the rewards of the rows that made each: those of its batch that the trainer did not leave out. */
  list(): Versions['versions'] {
    return this.database
      .all<VersionRow & { trajectories: number; reward_mean: number | null }>(
        `SELECT v.*, COUNT(m.interaction_id) AS trajectories, AVG(m.reward) AS reward_mean
         FROM versions v LEFT JOIN batch_items m ON m.batch_id = v.batch_id
           AND NOT EXISTS (SELECT 1 FROM dropped d WHERE d.interaction_id = m.interaction_id) GROUP BY v.version ORDER BY v.version`,
      )
      .map((row) => ({
        version: row.version,
        batch_id: row.batch_id,
        trained_at: toIso(row.trained_at),
        served_at: toIso(row.served_at),
        trajectories: row.trajectories,
        reward_mean: row.reward_mean,
      }));
  }
}

interface VersionRow {
  readonly version: number;
  readonly incarnation: number;
  readonly path: string;
  readonly batch_id: number | null;
  readonly trained_at: number | null;
  readonly served_at: number | null;
}

function toVersion(row: VersionRow | undefined): StoredVersion | null {
  if (row === undefined) return null;
  return {
    version: row.version,
    incarnation: row.incarnation,
    path: row.path,
    batchId: row.batch_id,
    trainedAt: row.trained_at,
    servedAt: row.served_at,
  };
}

const toIso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
