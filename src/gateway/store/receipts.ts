import type { Receipts } from '../../shared/wire/rl';
import type { Database } from './database';

/** What became of every rating, read from the tables that decide it. */
export class ReceiptStore {
  constructor(private readonly database: Database) {}

  /** Counts over all ratings; batches and versions newest first. */
  counts(): Receipts['counts'] {
    const rows = this.database.all<CountRow>(COUNTS_SQL);
    const of = (state: string): CountRow[] => rows.filter((row) => row.state === state);
    return {
      waiting: of('waiting').reduce((sum, row) => sum + row.count, 0),
      in_batch: of('in-batch').map((row) => ({ batch_id: row.batch_id ?? 0, count: row.count })),
      trained: of('trained').map((row) => ({ version: row.version ?? 0, count: row.count })),
      dropped: of('dropped').map((row) => ({ reason: row.reason ?? 'unknown', count: row.count })),
    };
  }

  /** Newest rating first. */
  list(limit: number): Receipts['ratings'] {
    return this.database.all<ReceiptRow>(LIST_SQL, [limit]).map((row) => ({
      interaction_id: row.interaction_id,
      session_id: row.session_id,
      task_id: row.task_id,
      reward: row.reward,
      rater_id: row.rater_id,
      rated_at: new Date(row.rated_at).toISOString(),
      state: row.state,
      revocable: row.state === 'waiting',
      batch_id: row.batch_id,
      version: row.version,
      reason: row.state === 'dropped' ? row.reason : null,
      excerpt: excerptOf(row.output_message),
    }));
  }
}

type ReceiptState = Receipts['ratings'][number]['state'];

interface CountRow {
  readonly state: ReceiptState;
  readonly batch_id: number | null;
  readonly version: number | null;
  readonly reason: string | null;
  readonly count: number;
}

interface ReceiptRow extends Omit<CountRow, 'count'> {
  readonly interaction_id: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly reward: number;
  readonly rater_id: string | null;
  readonly rated_at: number;
  readonly output_message: string | null;
}

// The same rule as RewardStore.standing: a batch that ended without new weights has used its ratings up untrained.
const STATE_SQL = `CASE
  WHEN b.state IN ('formed', 'spooled') THEN 'in-batch'
  WHEN b.state = 'trained' THEN 'trained'
  WHEN b.state IS NOT NULL OR d.reason IS NOT NULL THEN 'dropped'
  ELSE 'waiting' END`;

const FROM_SQL = `FROM rewards r
LEFT JOIN batch_items m USING (interaction_id)
LEFT JOIN batches b ON b.batch_id = m.batch_id
LEFT JOIN dropped d ON d.interaction_id = r.interaction_id`;

const COUNTS_SQL = `SELECT state, batch_id, version, reason, COUNT(*) AS count FROM (
  SELECT ${STATE_SQL} AS state,
    CASE WHEN b.state IN ('formed', 'spooled') THEN b.batch_id END AS batch_id, b.version,
    CASE WHEN ${STATE_SQL} = 'dropped' THEN COALESCE(d.reason, b.state) END AS reason
  ${FROM_SQL})
GROUP BY state, batch_id, version, reason ORDER BY batch_id DESC, version DESC, count DESC`;

const LIST_SQL = `SELECT r.interaction_id, i.session_id, s.task_id, r.value AS reward, r.rater_id, r.rated_at,
  ${STATE_SQL} AS state, b.batch_id, b.version, COALESCE(d.reason, b.state) AS reason, i.output_message
${FROM_SQL}
JOIN interactions i ON i.interaction_id = r.interaction_id JOIN sessions s ON s.session_id = i.session_id
ORDER BY r.rated_at DESC, r.interaction_id DESC LIMIT ?`;

const EXCERPT_CHARACTERS = 80;

function excerptOf(outputMessage: string | null): string {
  if (outputMessage === null) return '';
  const { content } = JSON.parse(outputMessage) as { content?: unknown }; // written by InteractionStore.finish only
  return typeof content === 'string' ? [...content].slice(0, EXCERPT_CHARACTERS).join('') : '';
}
