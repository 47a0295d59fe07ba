import type { RatingState } from '../../shared/domain/reward';
import type { Receipts } from '../../shared/wire/rl';
import type { Database } from './database';
import { STANDING_COLUMNS, type StandingRow, standingJoins } from './rating-standing';

/** What became of every rating, read from the tables that decide it. */
export class ReceiptStore {
  constructor(private readonly database: Database) {}

  /** Counts over all ratings; batches and versions newest first. */
  counts(): Receipts['counts'] {
    const rows = this.database.all<CountRow>(COUNTS_SQL);
    const of = (state: string): CountRow[] => rows.filter((row) => row.standing === state);
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
      reward: row.value,
      rater_id: row.rater_id,
      rated_at: new Date(row.rated_at).toISOString(),
      state: row.standing,
      revocable: row.standing === 'waiting',
      batch_id: row.batch_id,
      version: row.version,
      reason: row.drop_reason,
      excerpt: excerptOf(row.output_message),
    }));
  }
}

interface CountRow {
  readonly standing: RatingState;
  readonly batch_id: number | null;
  readonly version: number | null;
  readonly reason: string | null;
  readonly count: number;
}

interface ReceiptRow extends StandingRow {
  readonly interaction_id: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly value: number;
  readonly rater_id: string | null;
  readonly rated_at: number;
  readonly output_message: string | null;
}

const COUNTS_SQL = `SELECT standing, batch_id, version, reason, COUNT(*) AS count FROM (
  SELECT standing, CASE WHEN standing = 'in-batch' THEN batch_id END AS batch_id,
    CASE WHEN standing = 'trained' THEN version END AS version, drop_reason AS reason
  FROM (SELECT ${STANDING_COLUMNS} FROM rewards r ${standingJoins('r.interaction_id')}))
GROUP BY standing, batch_id, version, reason ORDER BY batch_id DESC, version DESC, count DESC`;

const LIST_SQL = `SELECT i.interaction_id, i.session_id, s.task_id, r.rater_id, r.rated_at, ${STANDING_COLUMNS}, i.output_message
FROM rewards r JOIN interactions i USING (interaction_id) JOIN sessions s ON s.session_id = i.session_id
${standingJoins('r.interaction_id')} ORDER BY r.rated_at DESC, r.interaction_id DESC LIMIT ?`;

const EXCERPT_CHARACTERS = 80;

function excerptOf(outputMessage: string | null): string {
  if (outputMessage === null) return '';
  const { content } = JSON.parse(outputMessage) as { content?: unknown }; // written by InteractionStore.finish only
  return typeof content === 'string' ? [...content].slice(0, EXCERPT_CHARACTERS).join('') : '';
}
