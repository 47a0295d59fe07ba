/** One step of the schema; applied in order, once, in a transaction; never edited after it has shipped. */
export interface Migration {
  readonly id: number;
  readonly sql: string;
}

/**
 * The database is the truth: sessions, interactions, rewards, batches and versions.
 *
 * Token arrays are blobs of little-endian i32 / f32. Times are milliseconds since the epoch.
 * `batch_items` has the interaction as its primary key: the schema itself refuses to train a rating twice.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    sql: `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  api_key TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('human', 'agent', 'import')),
  rater_id TEXT,
  turn_discount REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'ended')),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  last_access_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_open_key ON sessions (api_key) WHERE state = 'open';
CREATE INDEX sessions_key ON sessions (api_key);
CREATE INDEX sessions_task ON sessions (task_id);
CREATE INDEX sessions_created ON sessions (created_at);

CREATE TABLE interactions (
  interaction_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (session_id),
  ordinal INTEGER NOT NULL,
  parent_id TEXT REFERENCES interactions (interaction_id),
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
  messages TEXT NOT NULL,
  output_message TEXT,
  prompt_token_ids BLOB NOT NULL,
  output_token_ids BLOB,
  output_logprobs BLOB,
  output_versions BLOB,
  finish_reason TEXT,
  temperature REAL NOT NULL,
  distorted INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  error TEXT,
  UNIQUE (session_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE rewards (
  interaction_id TEXT PRIMARY KEY REFERENCES interactions (interaction_id),
  value REAL NOT NULL,
  rater_id TEXT,
  note TEXT,
  rated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rewards_time ON rewards (rated_at);
CREATE TABLE reward_history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  interaction_id TEXT NOT NULL,
  value REAL,
  rater_id TEXT,
  note TEXT,
  at INTEGER NOT NULL
);

CREATE TABLE batches (
  batch_id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('formed', 'spooled', 'trained', 'no_signal', 'skipped', 'too_stale')),
  formed_at INTEGER NOT NULL,
  formed_at_version INTEGER NOT NULL,
  sha256 TEXT,
  trajectories INTEGER NOT NULL,
  version INTEGER,
  acked_at INTEGER
);
CREATE TABLE batch_items (
  interaction_id TEXT PRIMARY KEY REFERENCES interactions (interaction_id),
  batch_id INTEGER NOT NULL REFERENCES batches (batch_id),
  position INTEGER NOT NULL,
  episode_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  episode_reward REAL NOT NULL,
  reward REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX batch_items_batch ON batch_items (batch_id, position);
CREATE TABLE dropped (
  interaction_id TEXT PRIMARY KEY REFERENCES interactions (interaction_id),
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE versions (
  version INTEGER PRIMARY KEY,
  incarnation INTEGER NOT NULL,
  path TEXT NOT NULL,
  batch_id INTEGER,
  trained_at INTEGER,
  served_at INTEGER
);
CREATE TABLE training_metrics (
  batch_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  metrics TEXT NOT NULL,
  PRIMARY KEY (batch_id, version)
) WITHOUT ROWID;

CREATE TABLE dumped (
  interaction_id TEXT PRIMARY KEY REFERENCES interactions (interaction_id),
  file TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
`,
  },
  {
    id: 2,
    sql: `
-- why it ended: client, refresh, idle, abort, admin
ALTER TABLE sessions ADD COLUMN end_reason TEXT;
-- external: a trainer outside waits for it, so it is never put into a batch here
ALTER TABLE sessions ADD COLUMN consumer TEXT NOT NULL DEFAULT 'plaudit' CHECK (consumer IN ('plaudit', 'external'));
ALTER TABLE sessions ADD COLUMN taken_at INTEGER;
ALTER TABLE sessions ADD COLUMN discount_mode TEXT NOT NULL DEFAULT 'linear' CHECK (discount_mode IN ('linear', 'tree'));
ALTER TABLE sessions ADD COLUMN unrated_policy TEXT NOT NULL DEFAULT 'hold'
  CHECK (unrated_policy IN ('hold', 'drop', 'zero'));

ALTER TABLE interactions ADD COLUMN dialect TEXT NOT NULL DEFAULT 'chat';
ALTER TABLE interactions ADD COLUMN choice INTEGER NOT NULL DEFAULT 0;
-- equal requests of one session have equal keys
ALTER TABLE interactions ADD COLUMN request_key TEXT;
ALTER TABLE interactions ADD COLUMN idempotency_key TEXT;
ALTER TABLE interactions ADD COLUMN tools TEXT;
ALTER TABLE interactions ADD COLUMN metadata TEXT;
-- why its evidence must not be trained on; null = sound
ALTER TABLE interactions ADD COLUMN untrainable TEXT;
-- 1: the client went away before the end of the answer was sent
ALTER TABLE interactions ADD COLUMN undelivered INTEGER NOT NULL DEFAULT 0;
-- a retry of the same request that replaced this one
ALTER TABLE interactions ADD COLUMN replaced_by TEXT;
CREATE INDEX interactions_request ON interactions (session_id, request_key) WHERE request_key IS NOT NULL;

-- what previous_response_id continues
CREATE TABLE responses (
  response_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (session_id),
  interaction_id TEXT NOT NULL REFERENCES interactions (interaction_id),
  previous_response_id TEXT,
  body TEXT NOT NULL,
  messages TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- advantage the trainer used, next to the raw (rewards) and the discounted value (reward)
ALTER TABLE batch_items ADD COLUMN normalised REAL;
`,
  },
  {
    id: 3,
    sql: `
-- 1: the session may hold something to train or to drop; cleared when an ended session was looked through and had not.
-- Kept by triggers, so that no way of rating or ending can forget it.
ALTER TABLE sessions ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_pending ON sessions (ended_at) WHERE pending = 1;
CREATE TRIGGER reward_makes_pending AFTER INSERT ON reward_history BEGIN
  UPDATE sessions SET pending = 1
  WHERE session_id = (SELECT session_id FROM interactions WHERE interaction_id = NEW.interaction_id) AND pending = 0;
END;
CREATE TRIGGER end_makes_pending AFTER UPDATE OF state ON sessions
WHEN NEW.state = 'ended' AND NEW.unrated_policy <> 'hold' AND NEW.pending = 0 BEGIN
  UPDATE sessions SET pending = 1 WHERE session_id = NEW.session_id;
END;
UPDATE sessions SET pending = 1 WHERE session_id IN (
  SELECT i.session_id FROM rewards r JOIN interactions i USING (interaction_id)
  LEFT JOIN batch_items m USING (interaction_id) LEFT JOIN dropped d USING (interaction_id)
  WHERE m.interaction_id IS NULL AND d.interaction_id IS NULL);
`,
  },
  {
    id: 4,
    sql: `
-- counts of sessions by state and source, and the sessions of a group, without reading every session there ever was
CREATE INDEX sessions_state ON sessions (state, source);
CREATE INDEX sessions_group ON sessions (group_id);
`,
  },
  {
    id: 5,
    sql: `
-- what an Idempotency-Key was used for, without reading the session's prompts
CREATE INDEX interactions_idempotency ON interactions (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
`,
  },
  {
    id: 6,
    sql: `
-- whether a session has an answer that nobody got, without reading its prompts
CREATE INDEX interactions_undelivered ON interactions (session_id) WHERE undelivered = 1;
`,
  },
  {
    id: 7,
    sql: `
-- an answer that nobody got, by its request: both questions a retry asks, and nothing to write for the many that were got
DROP INDEX interactions_undelivered;
DROP INDEX interactions_request;
CREATE INDEX interactions_undelivered ON interactions (session_id, request_key) WHERE undelivered = 1;
`,
  },
];
