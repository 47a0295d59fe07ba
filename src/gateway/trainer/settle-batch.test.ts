import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupId, interactionId } from '../../shared/domain/ids';
import { type Head, TRAINER_SCHEMA } from '../../shared/wire/trainer';
import { BatchStore } from '../store/batches';
import { type Database, openDatabase } from '../store/database';
import { DroppedStore } from '../store/dropped';
import { InteractionStore } from '../store/interactions';
import { RewardStore } from '../store/rewards';
import { SessionStore } from '../store/sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../store/testing/sample-rows';
import { VersionStore } from '../store/versions';
import { type SettlePorts, settleBatch } from './settle-batch';

const ROWS = 4;
let database: Database;
let ports: SettlePorts;

beforeEach(() => {
  database = openDatabase(':memory:');
  ports = {
    database,
    batches: new BatchStore(database),
    dropped: new DroppedStore(database),
    versions: new VersionStore(database),
  };
  new SessionStore(database).insert(sampleSession('s'));
  const interactions = new InteractionStore(database);
  const items = Array.from({ length: ROWS }, (_, k) => {
    const id = interactionId(`i-${k}`);
    interactions.insertRunning(sampleRunning(id, 's'));
    interactions.finish(id, SAMPLE_ANSWER);
    new RewardStore(database).set({ interactionId: id, value: k, raterId: null, note: null, ratedAt: 1000 });
    return { interactionId: id, episodeId: 's', groupId: groupId('s'), episodeReward: 0, reward: k, normalised: null };
  });
  ports.batches.insert({ batchId: 1, at: 2000, version: 0 }, items);
  ports.batches.markSpooled(1, 'a'.repeat(64));
});
afterEach(() => database.close());

/** HEAD.json after batch 1 was trained into version 1. */
const trained = (dropped: Head['dropped']): Head => ({
  schema: TRAINER_SCHEMA,
  run_id: 'run',
  version: 1,
  incarnation: 1,
  last_batch: 1,
  batch_sha: 'a'.repeat(64),
  ckpt: null,
  weights: 'weights/000001',
  status: 'trained',
  dropped,
});
const states = (): string[] =>
  Array.from({ length: ROWS }, (_, k) => new RewardStore(database).standing(interactionId(`i-${k}`)).state);

describe('settleBatch', () => {
  it.each<{ what: string; lost: number[]; dropped: number[]; expected: string[] }>([
    { what: 'nothing lost', lost: [], dropped: [2], expected: ['trained', 'trained', 'dropped', 'trained'] },
    { what: 'an earlier item lost', lost: [0], dropped: [2], expected: ['waiting', 'trained', 'dropped', 'trained'] },
    { what: 'the item itself lost', lost: [2], dropped: [2], expected: ['trained', 'trained', 'waiting', 'trained'] },
    { what: 'a row that never was', lost: [], dropped: [9], expected: ['trained', 'trained', 'trained', 'trained'] },
  ])('drops the row that the trainer left out, with $what', ({ lost, dropped, expected }) => {
    for (const position of lost)
      database.run('DELETE FROM batch_items WHERE batch_id = 1 AND position = ?', [position]);
    const input = {
      head: trained(dropped.map((row) => ({ row, reason: 'drift' }))),
      unsettled: ports.batches.findUnsettled(),
      skipReason: null,
      at: 3000,
    };
    expect(settleBatch(ports, input)).toEqual({ settled: 1, problem: null });
    expect(states()).toEqual(expected);
  });
});
