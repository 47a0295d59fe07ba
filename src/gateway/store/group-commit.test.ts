import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './database';
import { GroupCommit } from './group-commit';

const SCHEMA = [{ id: 1, sql: 'CREATE TABLE notes (text TEXT PRIMARY KEY)' }];

let database: Database;
let commits: GroupCommit;
const insert = (text: string): number => database.run('INSERT INTO notes VALUES (?)', [text]).changes;
const notes = (): string[] => database.all<{ text: string }>('SELECT text FROM notes').map(({ text }) => text);

beforeEach(() => {
  database = openDatabase(':memory:', SCHEMA);
  commits = new GroupCommit(database);
});
afterEach(() => database.close());

describe('a group commit', () => {
  it('does nothing in the turn in which it is asked, and everything after it', async () => {
    const asked = [commits.commit(() => insert('a')), commits.commit(() => insert('b'))];
    expect(notes()).toEqual([]);
    expect(await Promise.all(asked)).toEqual([1, 1]);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('keeps one failure from the others', async () => {
    const outcomes = await Promise.allSettled([
      commits.commit(() => insert('a')),
      commits.commit(() => insert('a')),
      commits.commit(() => {
        insert('half');
        throw new Error('changed its mind');
      }),
      commits.commit(() => insert('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('takes work that comes while a group runs into the next one', async () => {
    const inner: Promise<number>[] = [];
    await commits.commit(() => {
      inner.push(commits.commit(() => insert('later')));
      return insert('now');
    });
    expect(notes()).toEqual(['now']);
    await Promise.all(inner);
    expect(notes()).toEqual(['now', 'later']);
  });

  it('needs no transaction of its own for a single statement, and shares one with others', async () => {
    const seen: boolean[] = [];
    const note = (text: string) => (): number => {
      seen.push(database.isInTransaction);
      return insert(text);
    };
    expect(await commits.commitStatement(note('a'))).toBe(1);
    expect(await commits.commit(note('b'))).toBe(1);
    await Promise.all([commits.commitStatement(note('c')), commits.commit(note('d'))]);
    expect(seen).toEqual([false, true, true, true]);
    await expect(commits.commitStatement(note('a'))).rejects.toThrow(/UNIQUE/);
    expect(notes()).toEqual(['a', 'b', 'c', 'd']);
  });
});
