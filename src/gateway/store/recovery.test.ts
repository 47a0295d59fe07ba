import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupId, interactionId, sessionId } from '../../shared/domain/ids';
import { BatchStore } from './batches';
import { type Database, openDatabase } from './database';
import { DatabaseError } from './database-error';
import { InteractionStore } from './interactions';
import { dismissRecovery, openOrRecover, readRecovery } from './recovery';
import { RewardStore } from './rewards';
import { SessionStore } from './sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from './testing/sample-rows';

const SESSIONS = 400;
const BATCHED = 40;
const PAGE = 4096;
let folder: string;
let path: string;
const opened: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  path = join(folder, 'plaudit.db');
  const database = openDatabase(path);
  database.transaction(() => fill(database));
  database.close();
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (k: number) => interactionId(`i-${String(k).padStart(4, '0')}`);

/** Sessions with one rated answer each; the first ones are in batch 1. */
function fill(database: Database): void {
  for (let k = 0; k < SESSIONS; k += 1) {
    const session = `s-${k}`;
    new SessionStore(database).insert(sampleSession(session));
    const interactions = new InteractionStore(database);
    interactions.insertRunning(sampleRunning(idOf(k), session, 0, { promptTokenIds: Array(50).fill(k) }));
    interactions.finish(idOf(k), SAMPLE_ANSWER);
    const reward = { interactionId: idOf(k), value: k / 1000, raterId: null, note: null, ratedAt: 1000 + k };
    new RewardStore(database).set(reward);
    new SessionStore(database).end(sessionId(session), 5000, 'client');
  }
  const items = Array.from({ length: BATCHED }, (_, k) => ({
    interactionId: idOf(k),
    episodeId: `s-${k}`,
    groupId: groupId(`s-${k}`),
    episodeReward: k / 1000,
    reward: k / 1000,
    normalised: null,
  }));
  new BatchStore(database).insert({ batchId: 1, at: 1000 + BATCHED, version: 0 }, items);
}

/** Overwrites pages that hold the text. @returns how many */
function damage(text: string, most: number): number {
  const bytes = readFileSync(path);
  let damaged = 0;
  // Leaf pages only (0x0a, 0x0d): an inner page would take the whole table with it, and so would the first page.
  for (let at = PAGE; at < bytes.length && damaged < most; at += PAGE) {
    const isLeaf = bytes[at] === 0x0a || bytes[at] === 0x0d;
    if (!isLeaf || !bytes.subarray(at, at + PAGE).includes(text)) continue;
    bytes.fill(0x77, at, at + PAGE);
    damaged += 1;
  }
  writeFileSync(path, bytes);
  return damaged;
}

const recover = (): Database => {
  const database = openOrRecover(path, 9_000_000);
  opened.push(database);
  return database;
};
const count = (database: Database, table: string): number =>
  database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0;

describe('openOrRecover', () => {
  it('opens a sound database as it is', () => {
    expect(readRecovery(recover())).toBeNull();
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('saves everything but what was on a lost page of answers, and keeps the damaged file', () => {
    expect(damage('user', 1)).toBe(1);
    const before = readFileSync(path);
    const database = recover();
    const recovery = readRecovery(database);
    expect(recovery).toMatchObject({ at: 9_000_000, doubtful: 0 });
    // But for the header, in which SQLite counts its visits.
    expect(
      readFileSync(recovery?.backup ?? '')
        .subarray(100)
        .equals(before.subarray(100)),
    ).toBe(true);
    expect(recovery?.holes).toContain('interactions');
    const answers = count(database, 'interactions');
    expect(answers).toBeLessThan(SESSIONS);
    expect(answers).toBeGreaterThan(SESSIONS - 40);
    expect(count(database, 'sessions')).toBe(SESSIONS);
    expect(count(database, 'rewards')).toBe(answers);
    expect(database.all('PRAGMA foreign_key_check')).toEqual([]);
    expect(new InteractionStore(database).find(idOf(SESSIONS - 1))?.promptTokenIds).toEqual(
      Array(50).fill(SESSIONS - 1),
    );
  });

  it('trains no rating that may have been in a lost part of a batch', () => {
    expect(damage('s-1s-1', 1)).toBe(1);
    const database = recover();
    const recovery = readRecovery(database);
    expect(recovery?.holes).toContain('batch_items');
    expect(recovery?.doubtful).toBeGreaterThan(0);
    const closed = new Set(
      database
        .all<{ id: string }>('SELECT interaction_id AS id FROM batch_items UNION SELECT interaction_id FROM dropped')
        .map(({ id }) => id),
    );
    for (let k = 0; k < BATCHED; k += 1) expect(closed).toContain(idOf(k));
    expect(closed).not.toContain(idOf(SESSIONS - 1));
  });

  it('works again at the next start, and forgets when told to', () => {
    damage('user', 1);
    recover().close();
    opened.pop();
    const database = recover();
    expect(readRecovery(database)).not.toBeNull();
    expect(readdirSync(folder).filter((name) => /reading|recovered/.test(name))).toEqual([]);
    expect(dismissRecovery(database)).toBe(true);
    expect(dismissRecovery(database)).toBe(false);
    expect(readRecovery(database)).toBeNull();
  });

  it('refuses what is no database at all, and leaves it alone', () => {
    writeFileSync(path, 'not a database '.repeat(4000));
    expect(() => openOrRecover(path, 1)).toThrow(DatabaseError);
    expect(readFileSync(path, 'utf8')).toMatch(/^not a database/);
  });
});
