import Libsql from 'libsql';
import { ensurePrivateFile, ensurePrivateFolder, parentFolder } from '../platform/private-files';
import { WriteAheadSync } from '../platform/write-ahead-sync';
import { adviceOf, DatabaseError, toDatabaseError } from './database-error';
import { MIGRATIONS, type Migration } from './schema';

/** What can be bound to a `?` of a statement. */
export type SqlValue = null | number | string | Uint8Array;

/**
 * The embedded database of one gateway.
 *
 * Calls are synchronous and run to completion, so two requests can never interleave inside one. A write that returned
 * survives the death of this process; once `flush` has resolved it survives the death of the machine too, so nothing is
 * acknowledged before that. Every failure is a {@link DatabaseError}.
 */
export interface Database {
  readonly path: string;
  /** Why the last write could not be done, until one can again; a refused constraint is not a failure. */
  readonly failure: DatabaseError | null;
  /** Inside of {@link transaction}: what is read now may never be committed. */
  readonly isInTransaction: boolean;
  /** Runs one writing statement. */
  run(sql: string, params?: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  /** First row or undefined; blob columns are `Uint8Array`s. R names the columns as the statement selects them. */
  get<R extends object>(sql: string, params?: readonly SqlValue[]): R | undefined;
  /** All rows, in order. */
  all<R extends object>(sql: string, params?: readonly SqlValue[]): R[];
  /** All or nothing: commits when `work` returns, rolls back when it throws. A call inside another joins it. */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when every write that returned before this call is on disk. Costs nothing when there was none.
   *
   * @throws DatabaseError `unavailable` when the disk refuses
   */
  flush(): Promise<void>;
  /** Folds the journal into the file and releases the lock; no call may follow. */
  close(): void;
}

/**
 * Opens (or creates) the database, checks it, and brings its schema up to date.
 *
 * @param path - file path, or `:memory:` for tests
 * @throws DatabaseError `locked` when another gateway has it, `damaged`, `newer-schema`, `read-only`, `unavailable`
 * @remarks The lock is exclusive for the life of the connection: two gateways on one file would each believe that they
 * alone form batches.
 */
export function openDatabase(path: string, migrations: readonly Migration[] = MIGRATIONS): Database {
  let connection: Libsql.Database | null = null;
  try {
    if (path !== ':memory:') {
      ensurePrivateFolder(parentFolder(path));
      ensurePrivateFile(path);
    }
    connection = new Libsql(path);
    configure(connection);
    checkIntegrity(connection, path);
    migrate(connection, path, migrations);
    return new LibsqlDatabase(path, connection);
  } catch (error) {
    if (connection !== null) release(connection);
    throw toDatabaseError(error, path);
  }
}

/** The binding keeps a closed connection alive until its statements are collected, so the lock is given back by hand. */
function release(connection: Libsql.Database): void {
  try {
    connection.pragma('journal_mode = DELETE'); // folds the journal in; a connection in write-ahead mode keeps a shared lock
    connection.pragma('locking_mode = NORMAL');
    connection.pragma('user_version');
  } catch {
    // A locked or damaged file has no lock of ours to give back.
  }
  connection.close();
}

function configure(connection: Libsql.Database): void {
  // In this order: exclusive before it first touches the log, SQLite keeps the log's index on the heap. In a mapped file
  // beside the database a full disk would kill the process (SIGBUS; seen on btrfs, and on ext4 with blocks of 1 KiB).
  connection.pragma('locking_mode = EXCLUSIVE');
  connection.pragma('journal_mode = WAL');
  // The journal is synced by `flush`, beside the event loop and once for many commits, instead of inside of each commit.
  // NORMAL still syncs around checkpoints, so a crash of the machine can lose only what was not flushed.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  // KiB: the pages that are written now and again stay in memory.
  connection.pragma('cache_size = -32768');
  // Takes the exclusive lock now, so that a second gateway fails at its start and not at its first write.
  connection.exec('BEGIN EXCLUSIVE; COMMIT;');
}

function checkIntegrity(connection: Libsql.Database, path: string): void {
  const findings = connection.pragma('quick_check(1)') as { quick_check: string }[]; // the pragma's one column
  const first = findings[0]?.quick_check ?? 'no answer to quick_check';
  if (first !== 'ok')
    throw new DatabaseError('damaged', path, `The database ${path} is damaged: ${first}.`, adviceOf('damaged', path));
}

function migrate(connection: Libsql.Database, path: string, migrations: readonly Migration[]): void {
  const rows = connection.pragma('user_version') as { user_version: number }[]; // the pragma's one column
  const applied = rows[0]?.user_version ?? 0;
  const newest = migrations.reduce((max, migration) => Math.max(max, migration.id), 0);
  if (applied > newest) {
    const message = `The database ${path} has schema ${applied}; this program knows schemas up to ${newest}.`;
    throw new DatabaseError('newer-schema', path, message, adviceOf('newer-schema', path));
  }
  for (const migration of migrations) {
    if (migration.id <= applied) continue;
    connection.transaction(() => {
      connection.exec(migration.sql);
      connection.exec(`PRAGMA user_version = ${migration.id}`);
    })();
  }
}

class LibsqlDatabase implements Database {
  readonly #statements = new Map<string, Libsql.Statement<unknown[]>>();
  #inTransaction = false;
  readonly #log: WriteAheadSync;
  #failure: DatabaseError | null = null;

  constructor(
    readonly path: string,
    private readonly connection: Libsql.Database,
  ) {
    this.#log = new WriteAheadSync(`${path}-wal`);
  }

  get failure(): DatabaseError | null {
    return this.#failure;
  }

  get isInTransaction(): boolean {
    return this.#inTransaction;
  }

  run(sql: string, params: readonly SqlValue[] = []): { changes: number; lastInsertRowid: number } {
    return this.#guard(() => {
      const outcome = this.#statement(sql).run([...params]);
      this.#noteWrite();
      return { changes: outcome.changes, lastInsertRowid: Number(outcome.lastInsertRowid) };
    });
  }

  get<R extends object>(sql: string, params: readonly SqlValue[] = []): R | undefined {
    return this.#guard(() => toPlainRow(this.#statement(sql).get([...params])) as R | undefined); // caller names the columns
  }

  all<R extends object>(sql: string, params: readonly SqlValue[] = []): R[] {
    return this.#guard(
      () =>
        this.#statement(sql)
          .all([...params])
          .map(toPlainRow) as R[],
    ); // caller names the columns
  }

  transaction<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    return this.#guard(() => {
      this.connection.exec('BEGIN IMMEDIATE');
      this.#inTransaction = true;
      try {
        const result = work();
        this.connection.exec('COMMIT');
        this.#noteWrite();
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      } finally {
        this.#inTransaction = false;
      }
    });
  }

  async flush(): Promise<void> {
    try {
      await this.#log.flush();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `The disk that holds ${this.path} refused to store what was written: ${reason}.`;
      const advice = 'Check the disk, then start again; everything that was answered with success before is safe.';
      this.#failure = new DatabaseError('unavailable', this.path, message, advice, { cause: error });
      throw this.#failure;
    }
  }

  close(): void {
    this.#log.close();
    this.#statements.clear();
    release(this.connection);
  }

  // By hand: a full disk has rolled back already, and the binding's own rollback would then hide why.
  #rollBack(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
  }

  // The binding aborts the whole process when a lone null is passed instead of an array: all parameters go as one array.
  #statement(sql: string): Libsql.Statement<unknown[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #noteWrite(): void {
    this.#log.noteWrite();
    // Inside a transaction a write proves nothing yet: the commit may find the disk full.
    if (!this.#inTransaction || !this.connection.inTransaction) this.#failure = null;
  }

  #guard<T>(call: () => T): T {
    try {
      return call();
    } catch (thrown) {
      const error = toDatabaseError(thrown, this.path);
      if (error instanceof DatabaseError && error.kind !== 'constraint') this.#failure = error;
      throw error;
    }
  }
}

/**
 * Evens out what the binding returns: `get` adds a `_metadata` key, and blobs are a Buffer from `get` but an ArrayBuffer
 * from `all`.
 */
export function toPlainRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return undefined;
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (name !== '_metadata') columns[name] = toPlainValue(value);
  return columns;
}

function toPlainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return new Uint8Array(value as ArrayBuffer); // the only other object the binding makes
}
