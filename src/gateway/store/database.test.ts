import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './database';
import { DatabaseError, type DatabaseErrorKind } from './database-error';
import { MIGRATIONS } from './schema';

/** a schema after the newest one */
const NEXT = MIGRATIONS.length + 1;

let folder: string;
const opened: Database[] = [];
const open = (...args: Parameters<typeof openDatabase>): Database => {
  const database = openDatabase(...args);
  opened.push(database);
  return database;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-'));
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function kindOf(call: () => unknown): DatabaseErrorKind | null {
  try {
    call();
  } catch (error) {
    if (error instanceof DatabaseError) return error.kind;
    throw error;
  }
  return null;
}

describe('openDatabase', () => {
  it('creates a file that only its owner can read, in write-ahead mode with full sync', () => {
    const path = join(folder, 'deep', 'plaudit.db');
    const database = open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(database.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(database.get('PRAGMA synchronous')).toEqual({ synchronous: 1 });
    expect(database.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
  });

  it('maps no file into memory, which on a full disk would kill the process', () => {
    const path = join(folder, 'a.db');
    const database = open(path);
    database.run('INSERT INTO meta VALUES (?, ?)', ['run_id', 'r1']);
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(existsSync(`${path}-shm`)).toBe(false);
  });

  it('applies each migration once, and keeps what was written', () => {
    const path = join(folder, 'a.db');
    const first = openDatabase(path);
    first.run('INSERT INTO meta VALUES (?, ?)', ['run_id', 'r1']);
    first.close();
    const extra = { id: NEXT, sql: 'ALTER TABLE meta ADD COLUMN note TEXT;' };
    const second = open(path, [...MIGRATIONS, extra]);
    expect(second.get('SELECT key, value, note FROM meta')).toEqual({ key: 'run_id', value: 'r1', note: null });
  });

  it('leaves nothing of a migration that fails half-way', () => {
    const path = join(folder, 'a.db');
    openDatabase(path).close();
    const broken = { id: NEXT, sql: 'CREATE TABLE half (a); CREATE TABLE half (a);' };
    expect(() => openDatabase(path, [...MIGRATIONS, broken])).toThrow(DatabaseError);
    const database = open(path);
    expect(database.all("SELECT name FROM sqlite_master WHERE name = 'half'")).toEqual([]);
  });

  it.each([
    ['locked', 'another gateway has it', (path: string): unknown => open(path)],
    [
      'newer-schema',
      'a later program wrote it',
      (path: string): unknown => openDatabase(path, [{ id: 99, sql: '' }]).close(),
    ],
    ['damaged', 'it is not a database', (path: string): unknown => writeFileSync(path, 'not a database '.repeat(400))],
  ] as const)('says %s when %s', (kind, _reason, prepare) => {
    const path = join(folder, 'a.db');
    prepare(path);
    expect(kindOf(() => openDatabase(path))).toBe(kind);
  });

  it('finds damaged pages and says to copy the file first', () => {
    const path = join(folder, 'a.db');
    const database = openDatabase(path);
    database.transaction(() => {
      for (let i = 0; i < 2000; i += 1) database.run('INSERT INTO meta VALUES (?, ?)', [`key ${i}`, 'x'.repeat(50)]);
    });
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, bytes.length - 3 * 4096, bytes.length - 4096);
    copyFileSync(path, `${path}.copy`);
    writeFileSync(path, bytes);
    try {
      openDatabase(path);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ kind: 'damaged', advice: expect.stringContaining('Copy') });
    }
  });

  it('releases the lock on close', () => {
    const path = join(folder, 'a.db');
    openDatabase(path).close();
    expect(kindOf(() => open(path))).toBeNull();
  });
});

describe('Database', () => {
  it('acknowledges nothing once its journal was removed, and still saves all at an ordinary end', async () => {
    const path = join(folder, 'a.db');
    const database = openDatabase(path);
    database.run("INSERT INTO meta VALUES ('before', '1')");
    await database.flush();
    rmSync(`${path}-wal`);
    database.run("INSERT INTO meta VALUES ('after', '1')");
    const refused = { kind: 'unavailable', message: expect.stringMatching(/removed or replaced .*a\.db-wal/) };
    await expect(database.flush()).rejects.toMatchObject(refused);
    expect(database.failure).toMatchObject(refused);
    database.close();
    expect(open(path).all('SELECT key FROM meta ORDER BY key')).toEqual([{ key: 'after' }, { key: 'before' }]);
  });

  it('stores null, numbers, text and bytes', () => {
    const database = open(':memory:', [{ id: 1, sql: 'CREATE TABLE t (a, b, c, d, e)' }]);
    database.run('INSERT INTO t VALUES (?, ?, ?, ?, ?)', [null, 1760000000000, -0.5, 'é', new Uint8Array([1, 2])]);
    database.run('INSERT INTO t (a) VALUES (?)', [null]);
    expect(database.all('SELECT * FROM t LIMIT 1')).toEqual([
      { a: null, b: 1760000000000, c: -0.5, d: 'é', e: new Uint8Array([1, 2]) },
    ]);
    expect(database.get('SELECT a FROM t WHERE b = ?', [7])).toBeUndefined();
  });

  it('undoes a transaction that throws, the inner one included', () => {
    const database = open(':memory:', [{ id: 1, sql: 'CREATE TABLE t (a)' }]);
    const boom = new Error('boom');
    expect(() =>
      database.transaction(() => {
        database.run('INSERT INTO t VALUES (1)');
        database.transaction(() => database.run('INSERT INTO t VALUES (2)'));
        throw boom;
      }),
    ).toThrow(boom);
    expect(database.all('SELECT a FROM t')).toEqual([]);
    database.transaction(() => database.run('INSERT INTO t VALUES (3)'));
    expect(database.all('SELECT a FROM t')).toEqual([{ a: 3 }]);
  });

  it('says that the disk is full, keeps what was committed, and goes on when there is room again', () => {
    const database = open(join(folder, 'a.db'));
    database.run('INSERT INTO meta VALUES (?, ?)', ['safe', 'yes']);
    const { page_count: pages } = database.get<{ page_count: number }>('PRAGMA page_count') ?? { page_count: 0 };
    database.get(`PRAGMA max_page_count = ${pages + 2}`);
    const fill = (): void =>
      database.transaction(() => {
        for (let i = 0; i < 50; i += 1) database.run('INSERT INTO meta VALUES (?, ?)', [`k${i}`, 'x'.repeat(4000)]);
      });
    expect(kindOf(fill)).toBe('disk-full');
    expect(database.all('SELECT key FROM meta')).toEqual([{ key: 'safe' }]);
    database.get('PRAGMA max_page_count = 100000');
    fill();
    expect(database.all('SELECT key FROM meta')).toHaveLength(51);
  });

  it('says that it cannot be written', () => {
    const database = open(join(folder, 'a.db'));
    database.get('PRAGMA query_only = 1');
    expect(kindOf(() => database.run('INSERT INTO meta VALUES (?, ?)', ['k', 'v']))).toBe('read-only');
  });

  it('names a broken constraint', () => {
    const database = open(':memory:');
    const insert = (): unknown => database.run('INSERT INTO meta VALUES (?, ?)', ['k', 'v']);
    insert();
    expect(kindOf(insert)).toBe('constraint');
  });
});
