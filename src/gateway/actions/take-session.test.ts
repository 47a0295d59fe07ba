import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupId, interactionId, sessionId } from '../../shared/domain/ids';
import { EventHub } from '../platform/event-hub';
import { type BatchState, BatchStore } from '../store/batches';
import { type Database, openDatabase } from '../store/database';
import { DroppedStore } from '../store/dropped';
import { InteractionStore } from '../store/interactions';
import { RewardStore } from '../store/rewards';
import { SessionStore } from '../store/sessions';
import { SetAsideStore } from '../store/set-aside';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../store/testing/sample-rows';
import { TurnFactsStore } from '../store/turn-facts';
import type { ExportRequest } from './export-trajectories';
import { formBatch, readBatchFill } from './form-batch';
import { type RatingPorts, setReward, withdrawReward } from './set-reward';
import { type TakePorts, takeTrajectories } from './take-session';

const id = sessionId('s');
const request: ExportRequest = {
  sessionId: id,
  discount: 1,
  style: 'individual',
  discountMode: null,
  dropRetryOrphans: false,
};

/** asked only about the key of a session; the admin rates here */
const noManager: RatingPorts['manager'] = { touch: () => true };

let database: Database;
let ports: TakePorts;
/** resolvers of the clock's sleeps: time passes when the test says so */
let sleeps: (() => void)[];
let now: number;
beforeEach(() => {
  database = openDatabase(':memory:');
  sleeps = [];
  now = 1000;
  ports = {
    database,
    sessions: new SessionStore(database),
    interactions: new InteractionStore(database),
    turns: new TurnFactsStore(database),
    rewards: new RewardStore(database),
    dropped: new DroppedStore(database),
    clock: {
      now: () => now,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          sleeps.push(resolve);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
      every: () => () => undefined,
    },
    events: new EventHub(),
    takeTimeoutMs: 5000,
    closing: new AbortController().signal,
  };
  ports.sessions.insert(sampleSession('s', { turnDiscount: 0 }));
  answer('a', 0);
  answer('b', 1);
});
afterEach(() => database.close());

function answer(name: string, reward: number): void {
  ports.interactions.insertRunning(sampleRunning(name, 's'));
  ports.interactions.finish(interactionId(name), SAMPLE_ANSWER);
  ports.rewards.set({ interactionId: interactionId(name), value: reward, raterId: null, note: null, ratedAt: 1 });
}
function end(): void {
  ports.sessions.end(id, now, 'client');
  ports.events.publish({ kind: 'session-end', session_id: id });
}
const take = (signal = new AbortController().signal) => takeTrajectories(ports, request, signal);
const forming = () => ({
  ...ports,
  batches: new BatchStore(database),
  batchSize: 2,
  algorithm: { baseline: 'batch_loo' as const, max_token_staleness: 4 },
});

describe('takeTrajectories', () => {
  it('closes the session for training in the commit that gives it away', async () => {
    end();
    const taken = await take();
    expect(taken.ok && Object.keys(taken.value.interactions)).toEqual(['a', 'b']);
    expect([formBatch(forming(), 0), readBatchFill(forming()).filled]).toEqual([null, 0]);
    expect(ports.rewards.standing(interactionId('a'))).toMatchObject({
      state: 'dropped',
      reason: expect.stringMatching(/^a trainer outside took the session at 1970-/),
    });
    now += 5;
    expect(await take()).toEqual(taken);
    expect(ports.sessions.find(id)?.takenAt).toBe(1000);
  });

  it.each([
    ['formed', null, /a \(in-batch, batch 1\)/],
    ['spooled', null, /a \(in-batch, batch 1\)/],
    ['trained', 1, /a \(trained, batch 1\)/],
  ] as const)(
    'refuses a session of which something is in a %s batch, by name, and leaves it as it is',
    async (state, version, message) => {
      end();
      inBatch('a', state, version);
      expect(await take()).toMatchObject({
        ok: false,
        error: { kind: 'already-trained', message: expect.stringMatching(message) },
      });
      expect(ports.sessions.find(id)?.takenAt).toBeNull();
      expect(ports.rewards.standing(interactionId('b')).state).toBe('waiting');
    },
  );

  it('gives away what a batch used up untrained', async () => {
    end();
    inBatch('a', 'no_signal', null);
    expect((await take()).ok).toBe(true);
  });

  it('stays unchanged when a batch that was set aside gives its answers back', async () => {
    end();
    inBatch('a', 'skipped', null);
    const taken = await take();
    expect(new SetAsideStore(database).release(1)).toBe(true);
    const rating = { ...ports, manager: noManager };
    const target = { sessionId: null, interactionId: 'a' };
    expect(setReward(rating, { ...target, value: 1, raterId: null, note: null })).toMatchObject({
      error: { kind: 'rating-held' },
    });
    expect(withdrawReward(rating, target)).toMatchObject({ error: { kind: 'rating-held' } });
    expect(formBatch(forming(), 0)).toBeNull();
    expect(await take()).toEqual(taken);
  });

  it('keeps every batch away while it waits, and lets go when the taker leaves', async () => {
    const taker = new AbortController();
    const taking = take(taker.signal);
    end();
    // ended, but an answer still runs: the taker goes on waiting
    ports.interactions.insertRunning(sampleRunning('c', 's'));
    expect(formBatch(forming(), 0)).toBeNull();
    taker.abort();
    expect(await taking).toMatchObject({ ok: false, error: { kind: 'wait-timeout' } });
    expect(formBatch(forming(), 0)).toBe(1);
  });

  it('waits for the answers of an ended session', async () => {
    ports.interactions.insertRunning(sampleRunning('c', 's'));
    const taking = take();
    end();
    await Promise.resolve();
    ports.interactions.finish(interactionId('c'), SAMPLE_ANSWER);
    ports.events.publish({ kind: 'interaction-end', session_id: id, interaction_id: 'c' });
    const taken = await taking;
    expect(taken.ok && Object.keys(taken.value.interactions)).toEqual(['a', 'b', 'c']);
  });

  it('gives up after its time', async () => {
    const taking = take();
    now += 5000;
    for (const wake of sleeps) wake();
    expect(await taking).toMatchObject({ ok: false, error: { kind: 'wait-timeout' } });
  });
});

function inBatch(name: string, state: BatchState, version: number | null): void {
  const item = { interactionId: interactionId(name), episodeId: name, groupId: groupId('g') };
  new BatchStore(database).insert({ batchId: 1, at: 1, version: 0 }, [
    { ...item, episodeReward: 1, reward: 1, normalised: 0 },
  ]);
  database.run('UPDATE batches SET state = ?, version = ? WHERE batch_id = 1', [state, version]);
}
