import type { TrajectoryFacts } from '../groups/group-statistics';
import type { Database } from './database';
import { decodeIntegers } from './token-blobs';

/** What statistics need of the run's trajectories. */
export class TrajectoryFactsStore {
  constructor(private readonly database: Database) {}

  /**
   * Finished answers of ended sessions that were rated or trained, oldest rating first; the reward is the trained one
   * once a batch holds it.
   */
  list(): TrajectoryFacts[] {
    return this.database.all<FactsRow>(SQL).map((row) => {
      const versions = decodeIntegers(row.output_versions);
      return {
        groupId: row.group_id,
        reward: row.reward,
        headVersion: versions.reduce((min, version) => Math.min(min, version), versions[0] ?? -1),
        tailVersion: versions.reduce((max, version) => Math.max(max, version), -1),
        consumedAtVersion: row.formed_at_version,
      };
    });
  }
}

interface FactsRow {
  readonly group_id: string;
  readonly reward: number;
  readonly output_versions: Uint8Array | null;
  readonly formed_at_version: number | null;
}

const SQL = `SELECT s.group_id, COALESCE(m.reward, r.value) AS reward, i.output_versions, b.formed_at_version
FROM (SELECT interaction_id FROM rewards UNION SELECT interaction_id FROM batch_items) x
JOIN interactions i USING (interaction_id) JOIN sessions s USING (session_id) LEFT JOIN rewards r USING (interaction_id)
LEFT JOIN batch_items m ON m.interaction_id = i.interaction_id LEFT JOIN batches b ON b.batch_id = m.batch_id
WHERE i.state = 'finished' AND s.state = 'ended' ORDER BY COALESCE(r.rated_at, b.formed_at), i.interaction_id`;
