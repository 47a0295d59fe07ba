import Libsql from 'libsql';
import { copyWithSiblings, removeWithSiblings, replaceWithSiblings } from '../platform/private-files';
import { type Database, openDatabase, type SqlValue, toPlainRow } from './database';
import { DatabaseError } from './database-error';
import { mendRecovered } from './mend-recovered';

/** What was saved from a damaged database. */
export interface Recovery {
  /** the damaged file as it was found */
  readonly backup: string;
  /** milliseconds since the epoch */
  readonly at: number;
  /** rows of each table that are in the new file, without stand-ins */
  readonly saved: Readonly<Record<string, number>>;
  /** tables of which a part could not be read */
  readonly holes: readonly string[];
  /** ratings left out of training, because nobody can tell whether they were trained before */
  readonly doubtful: number;
  /** lost sessions whose answers were kept; absent in a record of an earlier program */
  readonly placeholders?: number;
}

/** Parents before children, so that what refers to a lost row can be told. */
const TABLES = [
  'meta',
  'sessions',
  'interactions',
  'responses',
  'rewards',
  'reward_history',
  'batches',
  'batch_items',
  'dropped',
  'versions',
  'training_metrics',
  'dumped',
] as const;
const META_KEY = 'recovery';
const CHUNK = 200;

/**
 * Opens the database; when it is damaged, keeps a copy of it, saves what can be read into a new one, and opens that.
 *
 * In doubt a rating is not trained: one that may have been in a lost part of a batch is closed with a reason.
 *
 * @throws DatabaseError as openDatabase; `damaged` when nothing at all can be read
 */
export function openOrRecover(path: string, now: number): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'damaged') throw error;
    return recover(path, now, error);
  }
}

/** The recovery that this database came out of, until somebody has taken note of it. */
export function readRecovery(database: Database): Recovery | null {
  const row = database.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [META_KEY]);
  return row === undefined ? null : (JSON.parse(row.value) as Recovery); // written by recover only
}

/** Somebody has taken note. @returns false when there was nothing to note */
export function dismissRecovery(database: Database): boolean {
  return database.run('DELETE FROM meta WHERE key = ?', [META_KEY]).changes === 1;
}

function recover(path: string, now: number, cause: DatabaseError): Database {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, '-');
  const backup = `${path}.damaged-${stamp}`;
  copyWithSiblings(path, backup);
  // Reading folds the journal in, so a second copy is read and the backup stays as it was found.
  const copy = `${path}.reading-${stamp}`;
  copyWithSiblings(path, copy);
  const reader = openReader(copy, cause);
  const fresh = `${path}.recovered-${stamp}`;
  const database = openDatabase(fresh);
  const holes: string[] = [];
  try {
    database.run('PRAGMA foreign_keys = OFF');
    for (const table of TABLES) if (!copyTable(reader, database, table)) holes.push(table);
    if (countRows(database, 'sessions') === 0 && countRows(database, 'interactions') === 0 && holes.length > 0)
      throw cause;
    const areItemsProven = countIndexedItems(reader) === countRows(database, 'batch_items');
    const { doubtful, placeholders } = mendRecovered(database, { holes, areItemsProven }, now);
    const saved = Object.fromEntries(TABLES.map((table) => [table, countRows(database, table)]));
    saved.sessions = (saved.sessions ?? 0) - placeholders;
    const recovery: Recovery = { backup, at: now, saved, holes, doubtful, placeholders };
    database.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', [META_KEY, JSON.stringify(recovery)]);
  } finally {
    reader.close();
    database.close();
    removeWithSiblings(copy);
  }
  replaceWithSiblings(fresh, path);
  return openDatabase(path);
}

function openReader(copy: string, cause: DatabaseError): Libsql.Database {
  try {
    const reader = new Libsql(copy);
    reader.prepare('SELECT name FROM sqlite_master LIMIT 1').all([]);
    return reader;
  } catch {
    removeWithSiblings(copy);
    throw cause;
  }
}

/**
 * Reads from the start until a page cannot be read, then from the end: only what lies between is lost.
 *
 * @returns false when something could not be read
 */
function copyTable(reader: Libsql.Database, database: Database, table: string): boolean {
  const columns = columnsOf(reader, table).filter(({ name }) => columnsIn(database, table).has(name));
  const keys = columns.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
  if (columns.length === 0) return columnsIn(database, table).size === 0;
  const names = columns.map(({ name }) => name);
  const insert = `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  const take = (row: Row): void => {
    database.run(
      insert,
      names.map((name) => row[name] ?? null),
    );
  };
  const scan = { reader, table, names, keys: keys.map(({ name }) => name) };
  return database.transaction(() => {
    const isWhole = readRows(scan, 'ASC', take);
    if (!isWhole) readRows(scan, 'DESC', take);
    return isWhole;
  });
}

interface Scan {
  readonly reader: Libsql.Database;
  readonly table: string;
  readonly names: readonly string[];
  readonly keys: readonly string[];
}

type Row = Readonly<Record<string, SqlValue>>;

/** @returns false when it came upon something that cannot be read */
function readRows({ reader, table, names, keys }: Scan, direction: 'ASC' | 'DESC', take: (row: Row) => void): boolean {
  const order = keys.map((key) => `${key} ${direction}`).join(', ');
  const beyond = `(${keys.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${keys.map(() => '?').join(', ')})`;
  let last: SqlValue[] | null = null;
  let limit = CHUNK;
  for (;;) {
    const where: string = last === null ? '' : `WHERE ${beyond}`;
    const sql = `SELECT ${names.join(', ')} FROM ${table} ${where} ORDER BY ${order} LIMIT ${limit}`;
    const rows = tryRead(reader, sql, last ?? []);
    if (rows === null) {
      if (limit === 1) return false;
      limit = 1;
      continue;
    }
    for (const row of rows) take(row);
    const end = rows[rows.length - 1];
    if (end === undefined || rows.length < limit) return true;
    last = keys.map((key) => end[key] ?? null);
  }
}

function tryRead(reader: Libsql.Database, sql: string, params: readonly SqlValue[]): Row[] | null {
  try {
    return reader
      .prepare(sql)
      .all([...params])
      .map((row) => toPlainRow(row) as Row); // columns hold nothing else
  } catch {
    return null;
  }
}

/** By the index, which lies on other pages than the rows. @returns null when it cannot be read */
function countIndexedItems(reader: Libsql.Database): SqlValue {
  const rows = tryRead(reader, 'SELECT COUNT(*) AS n FROM batch_items INDEXED BY batch_items_batch', []);
  return rows?.[0]?.n ?? null;
}

function columnsOf(reader: Libsql.Database, table: string): { readonly name: string; readonly pk: number }[] {
  try {
    return reader.prepare(`PRAGMA table_info(${table})`).all([]) as { name: string; pk: number }[]; // the pragma's columns
  } catch {
    return [];
  }
}

function columnsIn(database: Database, table: string): ReadonlySet<string> {
  return new Set(database.all<{ name: string }>(`PRAGMA table_info(${table})`).map(({ name }) => name));
}

function countRows(database: Database, table: string): number {
  return database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0;
}
