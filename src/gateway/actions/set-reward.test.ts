import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupId, interactionId, sessionId } from '../../shared/domain/ids';
import { EventHub } from '../platform/event-hub';
import { BatchStore } from '../store/batches';
import { type Database, openDatabase } from '../store/database';
import { DroppedStore } from '../store/dropped';
import { InteractionStore } from '../store/interactions';
import { RewardStore } from '../store/rewards';
import { SessionStore } from '../store/sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../store/testing/sample-rows';
import { TurnFactsStore } from '../store/turn-facts';
import { formBatch } from './form-batch';
import { setReward, withdrawReward } from './set-reward';

const [first, retry] = [interactionId('first'), interactionId('retry')];

let database: Database;
let ports: ReturnType<typeof createPorts>;
beforeEach(() => {
  database = openDatabase(':memory:');
  ports = createPorts(database);
  ports.sessions.insert(sampleSession('s', { turnDiscount: 0 }));
  for (const id of [first, retry]) {
    ports.interactions.insertRunning(sampleRunning(id, 's'));
    ports.interactions.finish(id, SAMPLE_ANSWER);
  }
  ports.interactions.markReplaced([first], retry);
});
afterEach(() => database.close());

function createPorts(database: Database) {
  return {
    database,
    manager: { touch: () => true },
    interactions: new InteractionStore(database),
    sessions: new SessionStore(database),
    rewards: new RewardStore(database),
    dropped: new DroppedStore(database),
    turns: new TurnFactsStore(database),
    batches: new BatchStore(database),
    clock: { now: () => 1000, sleep: () => Promise.resolve(), every: () => () => undefined },
    events: new EventHub(),
    batchSize: 2,
    algorithm: { baseline: 'batch_loo' as const, max_token_staleness: 4 },
  };
}
const rate = (id: string, value: number) =>
  setReward(ports, { sessionId: null, interactionId: id, value, raterId: null, note: null });

describe('setReward of an answer that a retry replaced', () => {
  it('takes the word of who saw it: it is trained as any other', () => {
    expect(rate(first, 0)).toMatchObject({ ok: true, value: { outcome: 'set' } });
    expect(rate(retry, 1).ok).toBe(true);
    expect(ports.interactions.find(first)?.replacedBy).toBeNull();
    ports.sessions.end(sessionId('s'), 2000, 'client');
    expect(formBatch(ports, 0)).toBe(1);
    expect([first, retry].map((id) => ports.rewards.standing(id).state)).toEqual(['in-batch', 'in-batch']);
  });

  it('lets the rating be withdrawn, and then trains the retry only', () => {
    rate(first, 0);
    withdrawReward(ports, { sessionId: null, interactionId: first });
    rate(retry, 1);
    ports.sessions.end(sessionId('s'), 2000, 'client');
    expect(formBatch({ ...ports, batchSize: 1 }, 0)).toBe(1);
    expect([first, retry].map((id) => ports.rewards.standing(id).state)).toEqual(['unrated', 'in-batch']);
  });

  it('changes nothing of an answer that a batch holds', () => {
    const item = { interactionId: first, episodeId: 'e', groupId: groupId('g'), episodeReward: 1, reward: 1 };
    ports.batches.insert({ batchId: 1, at: 1, version: 0 }, [{ ...item, normalised: 0 }]);
    expect(rate(first, 0)).toMatchObject({ error: { kind: 'rating-held' } });
    expect(ports.interactions.find(first)?.replacedBy).toBe('retry');
  });
});
