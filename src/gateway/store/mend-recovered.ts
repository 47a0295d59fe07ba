import type { Database } from './database';

/** What was made up for lost rows. */
export interface Mended {
  /** ratings left out of training, because nobody can tell whether they were trained before */
  readonly doubtful: number;
  /** sessions of which only the answers were left */
  readonly placeholders: number;
}

/**
 * Makes a whole of what was saved from a damaged database.
 *
 * What is left of a lost row is kept under a stand-in for it; only what hangs on a lost answer is removed. In doubt a
 * rating is not trained: it is closed with a reason.
 *
 * @param saved.holes - tables of which a part could not be read
 * @param saved.areItemsProven - a second count of the items of batches agrees: needed once the batches cannot be asked
 */
export function mendRecovered(
  database: Database,
  { holes, areItemsProven }: { readonly holes: readonly string[]; readonly areItemsProven: boolean },
  now: number,
): Mended {
  return database.transaction(() => {
    const lost = standInForSessions(database);
    const batches = standInForBatches(database, now);
    const lacksItems =
      batches.lacksItems || holes.includes('batch_items') || (holes.includes('batches') && !areItemsProven);
    const inBatches = closeDoubtful(database, { lacksItems, isAnyTime: holes.includes('batches') }, now);
    const inSessions = isOutsideTrainerPossible(database, holes) ? closeOpenRatings(database, lost, now) : 0;
    removeOrphans(database);
    // From here on a difference is a new loss.
    database.run(
      'UPDATE batches SET trajectories = (SELECT COUNT(*) FROM batch_items m WHERE m.batch_id = batches.batch_id)',
    );
    return { doubtful: batches.doubtful + inBatches + inSessions, placeholders: lost.length };
  });
}

/** Discount 0: how ratings flowed between the answers of a lost session is lost, so each counts for its own answer. */
function standInForSessions(database: Database): string[] {
  const lost = database.all<{ session_id: string }>(
    'SELECT DISTINCT session_id FROM interactions WHERE session_id NOT IN (SELECT session_id FROM sessions)',
  );
  database.run(
    `INSERT INTO sessions (session_id, task_id, group_id, api_key, source, turn_discount, consumer, state, created_at,
       ended_at, end_reason, last_access_at, pending)
     SELECT session_id, 'recovered', session_id, 'lost-' || LOWER(HEX(RANDOMBLOB(32))), 'human', 0, 'plaudit', 'ended',
       MIN(created_at), MAX(COALESCE(finished_at, created_at)), 'admin', MAX(COALESCE(finished_at, created_at)), 1
     FROM interactions WHERE session_id NOT IN (SELECT session_id FROM sessions) GROUP BY session_id`,
  );
  return lost.map(({ session_id }) => session_id);
}

/**
 * Batches whose row is lost but which something else names: their ratings stay closed for ever, and their numbers are
 * never given again. One that no version names may or may not have been trained.
 *
 * The newest may still be under way. It counts as formed, so that HEAD.json decides its fate: its bytes are made again
 * from the same rows, hence they are the same.
 *
 * @returns how many ratings are in doubt, and whether a batch has lost its items too
 */
function standInForBatches(
  database: Database,
  now: number,
): { readonly doubtful: number; readonly lacksItems: boolean } {
  const newest = database.get<{ id: number | null }>(NEWEST_BATCH_SQL)?.id ?? 0;
  const missing = database.all<{ id: number }>(
    `WITH RECURSIVE ids (id) AS (SELECT 1 WHERE ? >= 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
     SELECT id FROM ids WHERE id NOT IN (SELECT batch_id FROM batches) ORDER BY id`,
    [newest, newest],
  );
  const reason = 'in doubt: the database was damaged, and nobody can tell whether the batch of this rating was trained';
  let doubtful = 0;
  let lacksItems = false;
  for (const { id } of missing) {
    const facts = database.get<BatchFacts>(BATCH_FACTS_SQL, [id, id, id, id, id]);
    const items = facts?.items ?? 0;
    const version = facts?.version ?? null;
    lacksItems ||= items === 0;
    const state = version !== null ? 'trained' : id === newest && items > 0 ? 'formed' : 'too_stale';
    const formedAt = Math.max(facts?.rated_at ?? 0, facts?.previous_at ?? 0);
    database.run(
      `INSERT INTO batches (batch_id, state, formed_at, formed_at_version, trajectories, version, acked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [id, state, formedAt, facts?.formed_version ?? 0, items, version, state === 'formed' ? null : now],
    );
    if (state === 'too_stale')
      doubtful += database.run(
        'INSERT OR IGNORE INTO dropped (interaction_id, reason, at) SELECT interaction_id, ?, ? FROM batch_items WHERE batch_id = ?',
        [reason, now, id],
      ).changes;
  }
  return { doubtful, lacksItems };
}

interface BatchFacts {
  readonly items: number;
  /** of its newest rating: it was formed after that */
  readonly rated_at: number | null;
  readonly previous_at: number | null;
  readonly version: number | null;
  readonly formed_version: number | null;
}

const NEWEST_BATCH_SQL = `SELECT MAX(id) AS id FROM (SELECT MAX(batch_id) AS id FROM batches
UNION ALL SELECT MAX(batch_id) FROM batch_items UNION ALL SELECT MAX(batch_id) FROM versions
UNION ALL SELECT MAX(batch_id) FROM training_metrics)`;

const BATCH_FACTS_SQL = `SELECT
  (SELECT COUNT(*) FROM batch_items WHERE batch_id = ?) AS items,
  (SELECT MAX(r.rated_at) FROM batch_items m JOIN rewards r USING (interaction_id) WHERE m.batch_id = ?) AS rated_at,
  (SELECT MAX(formed_at) FROM batches WHERE batch_id < ?) AS previous_at,
  (SELECT MAX(version) FROM versions WHERE batch_id = ?) AS version,
  (SELECT MAX(version) FROM versions WHERE batch_id < ?) AS formed_version`;

/**
 * Closes ratings that may have been trained in a batch that is no longer known to hold them. With every batch and item
 * there, none is in doubt; otherwise all that were given before the newest known batch was formed.
 *
 * @param doubt.isAnyTime - the newest batch may be lost, so that no rating is young enough
 */
function closeDoubtful(
  database: Database,
  doubt: { readonly lacksItems: boolean; readonly isAnyTime: boolean },
  now: number,
): number {
  // A released batch has given its items back.
  const lacking = database.get(
    `SELECT 1 FROM batches b WHERE b.trajectories <> (SELECT COUNT(*) FROM batch_items m WHERE m.batch_id = b.batch_id)
     AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'set-aside-closed:' || b.batch_id AND value = 'released')`,
  );
  if (lacking === undefined && !doubt.lacksItems) return 0;
  const before = doubt.isAnyTime ? '' : 'AND r.rated_at <= (SELECT MAX(formed_at) FROM batches)';
  return database.run(
    `INSERT OR IGNORE INTO dropped (interaction_id, reason, at)
     SELECT r.interaction_id, 'in doubt: the database was damaged, and this rating may have been trained before', ?
     FROM rewards r WHERE r.interaction_id NOT IN (SELECT interaction_id FROM batch_items) ${before}`,
    [now],
  ).changes;
}

/** Whether some session of this run was, or may have been, trained elsewhere. */
function isOutsideTrainerPossible(database: Database, holes: readonly string[]): boolean {
  if (holes.includes('meta') || holes.includes('dropped')) return true;
  const sign = database.get(
    `SELECT 1 FROM sessions WHERE consumer = 'external' OR taken_at IS NOT NULL
     UNION ALL SELECT 1 FROM meta WHERE (key = 'granted_sessions' AND value <> '0') OR key GLOB 'awaited_session:*' LIMIT 1`,
  );
  return sign !== undefined;
}

function closeOpenRatings(database: Database, sessions: readonly string[], now: number): number {
  const reason = 'in doubt: the record of its session was lost, and a trainer outside may have been given it';
  return database.run(
    `INSERT OR IGNORE INTO dropped (interaction_id, reason, at)
     SELECT r.interaction_id, ?, ? FROM rewards r JOIN interactions i USING (interaction_id)
     WHERE i.session_id IN (SELECT value FROM json_each(?))
       AND r.interaction_id NOT IN (SELECT interaction_id FROM batch_items)`,
    [reason, now, JSON.stringify(sessions)],
  ).changes;
}

/** What hangs on a lost answer can be neither read nor trained; the backup still has it. */
function removeOrphans(database: Database): void {
  const noAnswer = 'interaction_id NOT IN (SELECT interaction_id FROM interactions)';
  database.run(
    'UPDATE interactions SET parent_id = NULL WHERE parent_id NOT IN (SELECT interaction_id FROM interactions)',
  );
  database.run(`DELETE FROM responses WHERE ${noAnswer} OR session_id NOT IN (SELECT session_id FROM sessions)`);
  for (const table of ['rewards', 'batch_items', 'dropped', 'dumped'])
    database.run(`DELETE FROM ${table} WHERE ${noAnswer}`);
}
