import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interactionId, raterId, sessionId } from '../../shared/domain/ids';
import { type Database, openDatabase } from './database';
import { adviceOf, DatabaseError } from './database-error';
import { InteractionStore } from './interactions';
import { RewardStore } from './rewards';
import { NEWEST_OF_TASK_SQL, SessionStore } from './sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from './testing/sample-rows';
import { decodeFloats, decodeIntegers, encodeFloats, encodeIntegers } from './token-blobs';

let database: Database;
let sessions: SessionStore;
let interactions: InteractionStore;
let rewards: RewardStore;

beforeEach(() => {
  database = openDatabase(':memory:');
  sessions = new SessionStore(database);
  interactions = new InteractionStore(database);
  rewards = new RewardStore(database);
});
afterEach(() => database.close());

describe('token blobs', () => {
  it('give back every 32-bit integer and every 32-bit float', () => {
    const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(fc.array(integer), fc.array(fc.float({ noNaN: true })), (integers, floats) => {
        expect(decodeIntegers(encodeIntegers(integers))).toEqual(integers);
        expect(decodeFloats(encodeFloats(floats))).toEqual(floats);
      }),
    );
  });
});

describe('SessionStore', () => {
  it('gives back a session as it was inserted', () => {
    const session = sampleSession('task-0', { raterId: raterId('ada'), turnDiscount: 0.5, source: 'agent' });
    sessions.insert(session);
    expect(sessions.find(session.id)).toEqual(session);
    expect(sessions.findOpenByKey(session.apiKey)).toEqual(session);
  });

  it('refuses a second open session of one key but allows one after the end', () => {
    sessions.insert(sampleSession('task-0', { apiKey: 'k' }));
    const second = sampleSession('task-1', { apiKey: 'k', createdAt: 2000 });
    expect(() => sessions.insert(second)).toThrow(DatabaseError);
    expect(sessions.end(sessionId('task-0'), 5000, 'client')).toBe(true);
    expect(sessions.end(sessionId('task-0'), 6000, 'client')).toBe(false);
    sessions.insert(second);
    expect(sessions.findNewestByKey('k')?.id).toBe('task-1');
    expect(sessions.find(sessionId('task-0'))?.endedAt).toBe(5000);
  });

  it.each<[ids: string[], task: string, next: number]>([
    [[], 'task', 0],
    [['task-0', 'task-1'], 'task', 2],
    [['task-1', 'task-9', 'task-10'], 'task', 11],
    [['task-007'], 'task', 8],
    [['task-3-0', 'task-x-5', 'task-3x', 'task-', 'tas-9', 'task2-9', 'TASK-9'], 'task', 0],
    [['a-b-4', 'a-7', 'a-b-c-9'], 'a-b', 5],
    [['a%b-4', 'axb-7', 'a_b-8'], 'a%b', 5],
    [['[a]*-4', 'a-7'], '[a]*', 5],
    [['ü-4'], 'ü', 5],
    [[`task-${'9'.repeat(30)}`, 'task-2'], 'task', 3],
  ])('after %j the next session of %s is number %i', (ids, task, next) => {
    // Another task's row, as a recovery leaves it: the id alone decides.
    for (const id of ids) sessions.insert(sampleSession(id, { taskId: 'recovered' }));
    expect(sessions.nextOfTask(task)).toBe(next);
    sessions.insert(sampleSession(`${task}-${next}`));
  });

  it('blames neither disk nor permissions for an id that is taken', () => {
    sessions.insert(sampleSession('task-0'));
    expect(() => sessions.insert(sampleSession('task-0', { apiKey: 'other' }))).toThrow(
      expect.objectContaining({ kind: 'constraint', advice: expect.stringContaining('fault of the program') }),
    );
    expect(adviceOf('unavailable', 'x')).toMatch(/folder exists/);
  });

  it('finds the next number of a task in one range of the key', () => {
    const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${NEWEST_OF_TASK_SQL}`, ['a-', 'a-', 'a-']);
    expect(plan.map(({ detail }) => detail).join('\n')).toMatch(/SEARCH sessions .*session_id>\? AND session_id<\?/);
  });

  it('lists newest first with counts, filtered and paged', () => {
    sessions.insert(sampleSession('a-0', { createdAt: 1, lastAccessAt: 1 }));
    sessions.insert(sampleSession('b-0', { createdAt: 2, source: 'agent', lastAccessAt: 2 }));
    sessions.insert(sampleSession('c-0', { createdAt: 3 }));
    interactions.insertRunning(sampleRunning('i1', 'a-0'));
    interactions.finish(interactionId('i1'), SAMPLE_ANSWER);
    rewards.set({ interactionId: interactionId('i1'), value: 1, raterId: null, note: null, ratedAt: 9 });
    const page = { limit: 10, offset: 0 };
    expect(sessions.list({}, page).map((row) => row.session.id)).toEqual(['c-0', 'b-0', 'a-0']);
    expect(sessions.list({ source: 'human', state: 'open' }, { limit: 1, offset: 1 })).toMatchObject([
      { session: { id: 'a-0' }, interactionCount: 1, ratedCount: 1 },
    ]);
    expect(sessions.count({ source: 'human' })).toBe(2);
    expect(sessions.listIdleAgents(500)).toEqual(['b-0']);
  });
});

describe('InteractionStore', () => {
  beforeEach(() => sessions.insert(sampleSession('s-0')));

  it('gives back a finished interaction exactly, token by token', () => {
    const running = sampleRunning('i1', 's-0', { temperature: 0.7, distorted: true });
    interactions.insertRunning(running);
    interactions.finish(running.id, SAMPLE_ANSWER);
    expect(interactions.find(running.id)).toEqual({
      ...running,
      ordinal: 0,
      state: 'finished',
      outputMessage: SAMPLE_ANSWER.outputMessage,
      outputTokenIds: [7, 8],
      outputLogprobs: [-0.5, -0.25],
      outputVersions: [0, 1],
      finishReason: 'stop',
      finishedAt: 3000,
      error: null,
      choice: 0,
      untrainable: null,
      isUndelivered: false,
      replacedBy: null,
    });
  });

  it('finds the newest request of a key with all its choices', () => {
    const rows = [
      sampleRunning('old', 's-0', { requestKey: 'k', idempotencyKey: 'once' }),
      sampleRunning('new', 's-0', { requestKey: 'k', idempotencyKey: 'once' }),
      sampleRunning('new-1', 's-0', { requestKey: 'k', idempotencyKey: 'once', choice: 1 }),
      sampleRunning('other', 's-0', { requestKey: 'k' }),
    ];
    for (const row of rows) interactions.insertRunning(row);
    const found = interactions.findByIdempotencyKey(sessionId('s-0'), 'once');
    expect(found?.requestKey).toBe('k');
    expect(found?.choices.map(({ id, choice }) => [id, choice])).toEqual([
      ['new', 0],
      ['new-1', 1],
    ]);
    expect(interactions.findByIdempotencyKey(sessionId('s-0'), 'twice')).toBeNull();
  });

  it('finds an undelivered request until it is delivered or replaced', () => {
    interactions.insertRunning(sampleRunning('i1', 's-0', { requestKey: 'k' }));
    const find = () => interactions.findUndelivered(sessionId('s-0'), 'k')?.choices[0]?.id;
    expect(find()).toBeUndefined();
    interactions.finish(interactionId('i1'), { ...SAMPLE_ANSWER, isUndelivered: true });
    expect(find()).toBe('i1');
    interactions.markDelivery([interactionId('i1')], true);
    expect(find()).toBeUndefined();
    interactions.markDelivery([interactionId('i1')], false);
    interactions.markReplaced([interactionId('i1')], interactionId('i2'));
    expect(find()).toBeUndefined();
    expect(interactions.find(interactionId('i1'))).toMatchObject({ replacedBy: 'i2', isUndelivered: true });
  });

  it('never replaces a rated answer', () => {
    interactions.insertRunning(sampleRunning('i1', 's-0', { requestKey: 'k' }));
    interactions.finish(interactionId('i1'), { ...SAMPLE_ANSWER, isUndelivered: true });
    rewards.set({ interactionId: interactionId('i1'), value: 1, raterId: null, note: null, ratedAt: 5000 });
    interactions.markReplaced([interactionId('i1')], interactionId('i2'));
    expect(interactions.find(interactionId('i1'))?.replacedBy).toBeNull();
  });

  it('stores an answer once', () => {
    interactions.insertRunning(sampleRunning('i1', 's-0'));
    interactions.finish(interactionId('i1'), SAMPLE_ANSWER);
    expect(() => interactions.finish(interactionId('i1'), SAMPLE_ANSWER)).toThrow('not running');
  });

  it('marks what was running when the process died, and nothing else', () => {
    interactions.insertRunning(sampleRunning('i1', 's-0'));
    interactions.insertRunning(sampleRunning('i2', 's-0'));
    interactions.finish(interactionId('i1'), SAMPLE_ANSWER);
    expect(interactions.markInterrupted(4000)).toBe(1);
    expect(interactions.listOfSession(sessionId('s-0')).map((row) => row.state)).toEqual(['finished', 'interrupted']);
    expect(interactions.findLastFinished(sessionId('s-0'))).toBe('i1');
  });

  it('keeps the tokens of a failed answer', () => {
    interactions.insertRunning(sampleRunning('i1', 's-0'));
    interactions.fail(interactionId('i1'), { error: 'engine gone', output: SAMPLE_ANSWER.output, at: 3000 });
    expect(interactions.find(interactionId('i1'))).toMatchObject({ state: 'failed', outputTokenIds: [7, 8] });
    expect(interactions.findLastFinished(sessionId('s-0'))).toBeNull();
  });
});

describe('RewardStore', () => {
  const id = interactionId('i1');
  beforeEach(() => {
    sessions.insert(sampleSession('s-0'));
    interactions.insertRunning(sampleRunning('i1', 's-0'));
    interactions.finish(id, SAMPLE_ANSWER);
  });
  const rate = (value: number): void =>
    rewards.set({ interactionId: id, value, raterId: raterId('ada'), note: 'n', ratedAt: 5000 });

  it('keeps one current value and the whole history', () => {
    rate(1);
    rate(-1);
    rewards.withdraw(id, 6000);
    expect(rewards.find(id)).toBeNull();
    const history = database.all<{ value: number | null }>('SELECT value FROM reward_history ORDER BY seq');
    expect(history.map((row) => row.value)).toEqual([1, -1, null]);
  });

  it.each([
    ['unrated', null, null, { state: 'unrated', batchId: null }],
    ['rated', 0.5, null, { state: 'waiting', reward: 0.5 }],
    ['in a formed batch', 0.5, 'formed', { state: 'in-batch', batchId: 3, version: null }],
    ['in a spooled batch', 0.5, 'spooled', { state: 'in-batch', batchId: 3 }],
    ['trained', 0.5, 'trained', { state: 'trained', batchId: 3, version: 7 }],
    ['in a batch without signal', 0.5, 'no_signal', { state: 'dropped', batchId: 3, reason: 'no_signal' }],
    ['in a batch too stale', 0.5, 'too_stale', { state: 'dropped', batchId: 3, reason: 'too_stale' }],
  ] as const)('stands as it should when %s', (_reason, value, batchState, expected) => {
    if (value !== null) rate(value);
    if (batchState !== null) {
      const version = batchState === 'trained' ? 7 : null;
      database.run('INSERT INTO batches VALUES (3, ?, 1, 0, NULL, 1, ?, NULL)', [batchState, version]);
      database.run("INSERT INTO batch_items VALUES ('i1', 3, 0, 's-0', 's-0', 0.5, 0.5, NULL)");
    }
    expect(rewards.standing(id)).toMatchObject(expected);
    expect(rewards.standingsOfSession(sessionId('s-0')).get(id)).toMatchObject(expected);
  });

  it('says why a rating was dropped', () => {
    rate(1);
    database.run("INSERT INTO dropped VALUES ('i1', 'distorted', 1)");
    expect(rewards.standing(id)).toMatchObject({ state: 'dropped', reason: 'distorted', reward: 1 });
  });
});

describe('a reopened database', () => {
  it('still has what was committed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reopen-'));
    const path = join(folder, 'a.db');
    const first = openDatabase(path);
    new SessionStore(first).insert(sampleSession('s-0'));
    first.close();
    const second = openDatabase(path);
    expect(new SessionStore(second).find(sessionId('s-0'))).toEqual(sampleSession('s-0'));
    second.close();
    rmSync(folder, { recursive: true });
  });
});
