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
import { SetAsideStore } from './set-aside';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from './testing/sample-rows';
import { TurnFactsStore } from './turn-facts';
import { VersionStore } from './versions';

const SESSIONS = 400;
const BATCHED = 40;
const PAGE = 4096;
const CHECKSUM = 'c0ffee'.repeat(10);
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
    interactions.insertRunning(sampleRunning(idOf(k), session, { promptTokenIds: Array(50).fill(k) }));
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

/** Forms settled batches of two of the ratings from..to; every one names its checksum, which tells its pages. */
function formPairs(from: number, to: number, isVersionKnown: (batchId: number) => boolean): void {
  const database = openDatabase(path);
  const batches = new BatchStore(database);
  database.transaction(() => {
    batches.settle(1, { state: 'trained', version: 1, at: 2000 });
    for (let k = from; k < to; k += 2) {
      const batchId = batches.nextId();
      const items = [k, k + 1].map((n) => ({
        interactionId: idOf(n),
        episodeId: `s-${n}`,
        groupId: groupId(`s-${n}`),
        episodeReward: 0,
        reward: 0,
        normalised: null,
      }));
      batches.insert({ batchId, at: 1000 + k + 2, version: 0 }, items);
      batches.markSpooled(batchId, CHECKSUM);
      batches.settle(batchId, { state: 'trained', version: batchId, at: 2000 + k });
      const version = { version: batchId, incarnation: batchId, path: '', batchId, trainedAt: 2000 + k };
      if (isVersionKnown(batchId)) new VersionStore(database).put(version);
    }
  });
  database.close();
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

/** Overwrites the root page of a table. @returns how many */
function damageTable(table: string): number {
  const database = openDatabase(path);
  const root = database.get<{ rootpage: number }>('SELECT rootpage FROM sqlite_master WHERE name = ?', [table]);
  database.close();
  if (root === undefined) return 0;
  const bytes = readFileSync(path);
  bytes.fill(0x77, (root.rootpage - 1) * PAGE, root.rootpage * PAGE);
  writeFileSync(path, bytes);
  return 1;
}

const recover = (): Database => {
  const database = openOrRecover(path, 9_000_000);
  opened.push(database);
  return database;
};
const count = (database: Database, table: string): number =>
  database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0;

/** Ratings that a batch may still take. */
const openRatings = (database: Database): string[] =>
  database
    .all<{ id: string }>(
      `SELECT interaction_id AS id FROM rewards WHERE interaction_id NOT IN
         (SELECT interaction_id FROM batch_items UNION SELECT interaction_id FROM dropped)`,
    )
    .map(({ id }) => id);
const isOdd = ({ batch_id }: { readonly batch_id: number }): boolean => batch_id % 2 === 1;

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

  it('keeps the ratings of lost batches closed, and never gives their numbers again', () => {
    const pairs = (300 - BATCHED) / 2;
    formPairs(BATCHED, 300, (batchId) => batchId % 2 === 0);
    expect(damage(CHECKSUM, 1)).toBe(1);
    const database = recover();
    const recovery = readRecovery(database);
    expect(recovery?.holes).toEqual(['batches']);
    const batches = new BatchStore(database);
    expect(batches.nextId()).toBe(pairs + 2);
    expect(batches.findUnsettled()).toBeNull();
    expect(count(database, 'batches')).toBe(pairs + 1);
    expect(count(database, 'batch_items')).toBe(300);
    const states = database.all<{ batch_id: number; state: string; sha256: string | null }>('SELECT * FROM batches');
    const lost = states.filter(({ sha256, batch_id }) => sha256 === null && batch_id > 1);
    // A page of many was lost, and not all of them.
    expect(lost.length).toBeGreaterThan(10);
    expect(lost.length).toBeLessThan(pairs);
    for (const { batch_id, state } of lost) expect(state).toBe(batch_id % 2 === 0 ? 'trained' : 'too_stale');
    // What waited goes on waiting: the items, which nothing has harmed, say that no batch has it.
    expect(openRatings(database)).toEqual(Array.from({ length: SESSIONS - 300 }, (_, k) => idOf(300 + k)));
    expect(new SetAsideStore(database).list()).toEqual([]);
    const doubt = new RewardStore(database).standing(
      batches.items(lost.find(isOdd)?.batch_id ?? 0)[0]?.interactionId ?? idOf(0),
    );
    expect(doubt).toMatchObject({ state: 'dropped', reason: expect.stringMatching(/^in doubt/) });
    expect(database.all('PRAGMA foreign_key_check')).toEqual([]);
  });

  it('puts all that waits in doubt when neither batches nor the index of their items can be asked', () => {
    formPairs(BATCHED, 300, () => true);
    expect(damageTable('batch_items_batch') + damage(CHECKSUM, 1)).toBe(2);
    const database = recover();
    // With those of batch 1, which no version names.
    expect(readRecovery(database)).toMatchObject({ holes: ['batches'], doubtful: SESSIONS - 300 + BATCHED });
    expect(openRatings(database)).toEqual([]);
  });

  it('leaves the fate of a newest batch whose row is lost to HEAD.json', () => {
    expect(damageTable('batches')).toBe(1);
    const batch = new BatchStore(recover()).findUnsettled();
    expect(batch).toMatchObject({ batchId: 1, state: 'formed', sha256: null, trajectories: BATCHED });
  });

  it.each([
    { outside: false, reason: null, what: 'go on waiting' },
    { outside: true, reason: /^in doubt/, what: 'are in doubt when a trainer outside may have them' },
  ])('keeps the answers and ratings of lost sessions, which $what', ({ outside, reason }) => {
    if (outside) {
      const before = openDatabase(path);
      new SessionStore(before).insert(sampleSession('t-0', { consumer: 'external', taskId: 't', source: 'agent' }));
      before.close();
    }
    expect(damage('linearhold', 1)).toBe(1);
    const database = recover();
    const recovery = readRecovery(database);
    expect(recovery?.holes).toContain('sessions');
    expect(count(database, 'interactions')).toBe(SESSIONS);
    expect(count(database, 'rewards')).toBe(SESSIONS);
    expect(count(database, 'batch_items')).toBe(BATCHED);
    const standIns = database.all<{ session_id: string }>(
      "SELECT session_id FROM sessions WHERE task_id = 'recovered'",
    );
    expect(standIns.length).toBeGreaterThan(1);
    const total = SESSIONS + (outside ? 1 : 0);
    expect(recovery).toMatchObject({ placeholders: standIns.length });
    expect(recovery?.saved).toMatchObject({ sessions: total - standIns.length, rewards: SESSIONS });
    const waiting = standIns.map(({ session_id }) => Number(session_id.slice(2))).filter((k) => k >= BATCHED);
    expect(waiting.length).toBeGreaterThan(0);
    expect(recovery?.doubtful).toBe(outside ? waiting.length : 0);
    for (const k of waiting) {
      const standing = new RewardStore(database).standing(idOf(k));
      expect(standing.state).toBe(outside ? 'dropped' : 'waiting');
      expect(standing.reason ?? '').toMatch(reason ?? /^$/);
    }
    const pending = new Set(
      [...new TurnFactsStore(database).pendingSessions()].map(({ session }) => session.sessionId),
    );
    for (const k of waiting) expect(pending).toContain(`s-${k}`);
    expect(database.all('PRAGMA foreign_key_check')).toEqual([]);
  });

  it('puts no rating in doubt for a batch that was set aside and tried again', () => {
    const before = openDatabase(path);
    new BatchStore(before).settle(1, { state: 'skipped', version: 0, at: 2000 });
    expect(new SetAsideStore(before).release(1)).toBe(true);
    before.close();
    expect(damage('user', 1)).toBe(1);
    const database = recover();
    expect(readRecovery(database)).toMatchObject({ doubtful: 0 });
    expect(count(database, 'dropped')).toBe(0);
    expect(openRatings(database)).toHaveLength(count(database, 'rewards'));
  });

  it('takes an earlier loss of items for no new one', () => {
    expect(damage('user', 1)).toBe(1);
    recover().close();
    opened.pop();
    expect(damage('stop', 1)).toBe(1);
    expect(readRecovery(recover())).toMatchObject({ doubtful: 0 });
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
