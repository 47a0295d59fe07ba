import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interactionId, sessionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import { BatchStore } from '../store/batches';
import { type Database, openDatabase } from '../store/database';
import { DroppedStore } from '../store/dropped';
import { InteractionStore } from '../store/interactions';
import { ReceiptStore } from '../store/receipts';
import { RewardStore } from '../store/rewards';
import { SessionStore } from '../store/sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../store/testing/sample-rows';
import { PENDING_SQL, TurnFactsStore } from '../store/turn-facts';
import { type FormBatchPorts, formBatch, readBatchFill } from './form-batch';

let database: Database;
let ports: FormBatchPorts;
let rewards: RewardStore;
let now: number;
beforeEach(() => {
  database = openDatabase(':memory:');
  rewards = new RewardStore(database);
  now = 1_000_000;
  ports = portsOf(2);
});
afterEach(() => database.close());

function portsOf(batchSize: number): FormBatchPorts {
  return {
    database,
    batches: new BatchStore(database),
    dropped: new DroppedStore(database),
    turns: new TurnFactsStore(database),
    clock: { now: () => now, sleep: async () => undefined, every: () => () => undefined },
    batchSize,
    algorithm: { baseline: 'batch_loo', max_token_staleness: 4 },
  };
}

/** A session `name` with one finished answer per entry, `<name>-<k>`; a number rates it. Ends unless told otherwise. */
function session(name: string, ratings: readonly (number | null)[], over: Partial<Session> = {}, ends = true): void {
  const sessions = new SessionStore(database);
  const interactions = new InteractionStore(database);
  sessions.insert(sampleSession(name, { turnDiscount: 0, ...over, state: 'open', endedAt: null, endReason: null }));
  ratings.forEach((value, k) => {
    const id = interactionId(`${name}-${k}`);
    interactions.insertRunning(sampleRunning(id, name));
    interactions.finish(id, SAMPLE_ANSWER);
    if (value !== null) rate(id, value);
  });
  now += 1;
  if (ends) sessions.end(sessionId(name), now, over.endReason ?? 'client');
}

const rate = (id: string, value: number): void =>
  rewards.set({ interactionId: interactionId(id), value, raterId: null, note: null, ratedAt: now });
const standing = (id: string) => rewards.standing(interactionId(id));
const members = (batchId: number) => ports.batches.items(batchId).map((item) => item.interactionId);
const filled = () => readBatchFill(ports).filled;

describe('formBatch', () => {
  it('keeps raw, discounted and normalised reward apart', () => {
    session('a', [null, 1], { turnDiscount: 0.5 });
    session('b', [-1]);
    expect(formBatch(ports, 0)).toBe(1);
    expect(['a-0', 'a-1', 'b-0'].map((id) => standing(id))).toMatchObject([
      // batch_loo over the episodes' rewards 0.5 and −1
      { reward: null, discountedReward: 0.5, normalisedReward: 1.5, state: 'in-batch' },
      { reward: 1, discountedReward: 1, normalisedReward: 1.5 },
      { reward: -1, discountedReward: -1, normalisedReward: -1.5 },
    ]);
  });

  it('takes the oldest ended sessions first and leaves the rest for the next batch', () => {
    for (const name of ['c', 'a', 'b', 'd']) session(name, [1]);
    expect(members(formBatch(ports, 0) ?? 0)).toEqual(['c-0', 'a-0']);
    expect(filled()).toBe(2);
    expect(formBatch(ports, 0)).toBeNull();
    ports.batches.settle(1, { state: 'trained', version: 1, at: now });
    expect(members(formBatch(ports, 1) ?? 0)).toEqual(['b-0', 'd-0']);
  });

  it('trains a session that nobody rated when its policy is zero, with the raw value null', () => {
    session('a', [null, null], { unratedPolicy: 'zero' });
    expect(filled()).toBe(2);
    expect(formBatch(ports, 0)).toBe(1);
    expect(standing('a-0')).toMatchObject({ state: 'in-batch', reward: null, discountedReward: 0 });
    ports.batches.settle(1, { state: 'trained', version: 1, at: now });
    expect(formBatch(ports, 1)).toBeNull();
    expect([...ports.turns.pendingSessions()]).toEqual([]);
  });

  it('drops what nobody rated when the policy is drop, and takes it back when somebody does', () => {
    session('a', [null, 1], { unratedPolicy: 'drop' });
    expect(formBatch(ports, 0)).toBeNull();
    expect(standing('a-0')).toMatchObject({ state: 'dropped', reason: 'not rated', reward: null });
    ports.dropped.reopen(sessionId('a'), 'not rated');
    rate('a-0', -1);
    expect(members(formBatch(ports, 0) ?? 0)).toEqual(['a-0', 'a-1']);
  });

  it('waits for a rating without end when the policy is hold', () => {
    session('a', [null, null]);
    expect(formBatch(ports, 0)).toBeNull();
    expect([...ports.turns.pendingSessions()]).toEqual([]);
    rate('a-0', 1);
    rate('a-1', 0);
    expect(members(formBatch(ports, 0) ?? 0)).toEqual(['a-0', 'a-1']);
  });

  it.each([
    ['an aborted session', { endReason: 'abort' as const }, { state: 'dropped', reason: /aborted/ }],
    ['a session for a trainer outside', { consumer: 'external' as const }, { state: 'waiting' }],
  ])('never trains %s', (_name, over, expected) => {
    session('a', [1, -1], { ...over, unratedPolicy: 'zero' });
    expect(formBatch(ports, 0)).toBeNull();
    expect(filled()).toBe(0);
    const { state, reason } = standing('a-0');
    expect(state).toBe(expected.state);
    if ('reason' in expected) expect(reason).toMatch(expected.reason);
  });

  it('never trains an answer whose evidence is unsound or that a retry replaced', () => {
    session('a', [1, 1, -1, 1]);
    database.run("UPDATE interactions SET untrainable = 'a version is missing' WHERE interaction_id = 'a-0'");
    database.run("UPDATE interactions SET replaced_by = 'a-3' WHERE interaction_id = 'a-1'");
    expect(members(formBatch(ports, 0) ?? 0)).toEqual(['a-2', 'a-3']);
    expect(standing('a-0')).toMatchObject({ state: 'dropped', reason: expect.stringMatching(/a version is missing/) });
    expect(standing('a-1')).toMatchObject({ state: 'dropped', reason: expect.stringMatching(/retry/) });
  });

  it('leaves a session alone while somebody outside waits for it, and only then', () => {
    session('a', [1, -1]);
    const giveBack = ports.turns.claim(sessionId('a'));
    expect([formBatch(ports, 0), filled()]).toEqual([null, 0]);
    giveBack();
    expect([filled(), formBatch(ports, 0)]).toEqual([2, 1]);
  });

  it('looks no further than the batch needs', () => {
    for (let k = 0; k < 200; k += 1) session(`s${k}`, [null], { unratedPolicy: 'drop' });
    session('a', [1, -1]);
    for (let k = 200; k < 400; k += 1) session(`s${k}`, [null], { unratedPolicy: 'drop' });
    expect(formBatch(ports, 0)).toBe(1);
    const dropped = database.get<{ n: number }>('SELECT COUNT(*) AS n FROM dropped')?.n;
    expect(dropped).toBe(200);
  });

  it('finds what waits by an index, never by a scan', () => {
    const rows = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${PENDING_SQL}`, [0, '', 64]);
    const plan = rows.map((row) => row.detail);
    expect(plan.join('\n')).toContain('sessions_pending');
    expect(plan.join('\n')).not.toMatch(/TEMP B-TREE/);
  });

  it('puts every rated or zero-counted answer into exactly one batch or drops it, whatever happens in between', () => {
    const step = fc.record({
      policy: fc.constantFrom('hold' as const, 'drop' as const, 'zero' as const),
      gamma: fc.constantFrom(0, 1),
      mode: fc.constantFrom('linear' as const, 'tree' as const),
      ratings: fc.array(fc.constantFrom(null, -1, 1), { minLength: 1, maxLength: 3 }),
      batchSize: fc.integer({ min: 1, max: 4 }),
      late: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        database.close();
        database = openDatabase(':memory:');
        rewards = new RewardStore(database);
        const trained: string[] = [];
        const settle = (size: number): void => {
          ports = portsOf(size);
          const batchId = formBatch(ports, 0);
          if (batchId === null) return;
          trained.push(...members(batchId));
          ports.batches.settle(batchId, { state: 'trained', version: batchId, at: now });
        };
        steps.forEach(({ policy, gamma, mode, ratings, batchSize, late }, k) => {
          session(`s${k}`, ratings, { unratedPolicy: policy, turnDiscount: gamma, discountMode: mode });
          settle(batchSize);
          const last = `s${k}-${ratings.length - 1}`;
          const { state, batchId, reason } = standing(last);
          const isOpen = batchId === null && (state !== 'dropped' || reason === 'not rated');
          if (late && isOpen) {
            ports.dropped.reopen(sessionId(`s${k}`), 'not rated');
            rate(last, 1);
            settle(batchSize);
          }
        });
        for (let k = 0; k < 40; k += 1) settle(1);
        expect(new Set(trained).size).toBe(trained.length);
        const counts = new ReceiptStore(database).counts();
        expect(counts.waiting).toBe(0);
        expect([...ports.turns.pendingSessions()]).toEqual([]);
        steps.forEach(({ policy, ratings }, k) => {
          if (policy !== 'zero') return;
          ratings.forEach((_, turn) => {
            expect(trained).toContain(`s${k}-${turn}`);
          });
        });
      }),
      { numRuns: 40 },
    );
  });
});

describe('readBatchFill', () => {
  it('counts a heap as far as it is asked to', () => {
    const rated = Array.from({ length: 100 }, () => 1);
    for (let k = 0; k < 13; k += 1) session(`s${k}`, rated);
    expect([readBatchFill(ports).filled, readBatchFill(ports, 1250).filled]).toEqual([1000, 1300]);
  });
});
