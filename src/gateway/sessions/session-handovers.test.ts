import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SessionId, sessionId } from '../../shared/domain/ids';
import { EventHub } from '../platform/event-hub';
import { type Database, openDatabase } from '../store/database';
import { AwaitedSessions } from '../store/grants';
import { SessionStore } from '../store/sessions';
import { sampleSession } from '../store/testing/sample-rows';
import { TurnFactsStore } from '../store/turn-facts';
import { SessionHandovers } from './session-handovers';

const TIMEOUT = 1000;
const [a, b] = [sessionId('a'), sessionId('b')];

let database: Database;
let sessions: SessionStore;
let awaited: AwaitedSessions;
let now: number;
let sleepers: { readonly at: number; readonly wake: () => void }[];
let givenBack: string[];
let handovers: SessionHandovers;

/** As after a start of the gateway; what slept in the last one is gone with it. */
function boot(): SessionId[] {
  sleepers = [];
  const events = new EventHub();
  events.subscribe((event) => {
    if (event.kind === 'reward-set') givenBack.push(event.session_id ?? '');
  });
  const clock = {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
    every: () => () => undefined,
  };
  handovers = new SessionHandovers({ database, sessions, awaited, clock, events }, TIMEOUT);
  return handovers.resume();
}
async function pass(ms: number): Promise<void> {
  now += ms;
  for (const sleeper of sleepers.filter(({ at }) => at <= now)) sleeper.wake();
  await new Promise((resolve) => setImmediate(resolve));
}
function ended(id: SessionId, at = now): void {
  sessions.insert(sampleSession(id, { apiKey: `key-${id}`, consumer: 'external' }));
  awaited.add(id);
  sessions.end(id, at, 'client');
}
const consumer = (id: SessionId): string | undefined => sessions.find(id)?.consumer;

beforeEach(() => {
  database = openDatabase(':memory:');
  [sessions, awaited] = [new SessionStore(database), new AwaitedSessions(database)];
  [now, givenBack] = [50_000, []];
});
afterEach(() => {
  handovers.close();
  database.close();
});

describe('SessionHandovers', () => {
  it.each<[string, () => void]>([
    ['being told, and nothing more is heard', () => undefined],
    ['told, and never taken', () => handovers.told(a)],
    ['not told, and nobody else waits', () => handovers.lost(a)],
    [
      'taken out of the line by a trainer that dies',
      () => {
        handovers.lost(a);
        expect(handovers.next()?.id).toBe(a);
      },
    ],
  ])('gives a session back that is %s', async (_case, happen) => {
    boot();
    ended(a);
    handovers.begin(a);
    happen();
    await pass(TIMEOUT - 1);
    expect([consumer(a), givenBack]).toEqual(['external', []]);
    await pass(1);
    expect([consumer(a), givenBack, handovers.next()]).toEqual(['plaudit', [a], null]);
    expect(boot()).toEqual([]);
    expect(handovers.next()).toBeNull();
    await pass(TIMEOUT);
    expect(givenBack).toEqual([a]);
  });

  it('gives who was told the whole time, from then on', async () => {
    boot();
    ended(a);
    handovers.begin(a);
    await pass(TIMEOUT - 1);
    handovers.told(a);
    await pass(TIMEOUT - 1);
    expect(consumer(a)).toBe('external');
    await pass(1);
    expect(consumer(a)).toBe('plaudit');
  });

  it('leaves what was taken to its taker, and tells nobody of it any more', async () => {
    boot();
    ended(a);
    handovers.begin(a);
    handovers.lost(a);
    new TurnFactsStore(database).markTaken(a, now);
    expect(handovers.next()).toBeNull();
    await pass(TIMEOUT);
    expect([consumer(a), givenBack, awaited.list()]).toEqual(['external', [], []]);
  });

  it('tells the next trainer after a restart what nobody was told of, first ended first', () => {
    boot();
    ended(b, 20);
    ended(a, 10);
    expect(boot()).toEqual([]);
    expect([handovers.next()?.id, handovers.next()?.id, handovers.next()]).toEqual([a, b, null]);
  });

  it('tells nobody else after a restart of what was told, and gives it back in its time', async () => {
    boot();
    ended(a);
    handovers.begin(a);
    handovers.told(a);
    now += TIMEOUT - 10;
    boot();
    expect(handovers.next()).toBeNull();
    await pass(9);
    expect(consumer(a)).toBe('external');
    await pass(1);
    expect([consumer(a), givenBack]).toEqual(['plaudit', [a]]);
  });

  it('tries again when the disk refuses', async () => {
    boot();
    ended(a);
    handovers.begin(a);
    database.run("CREATE TRIGGER full BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'full'); END");
    await pass(TIMEOUT);
    expect([consumer(a), givenBack]).toEqual(['external', []]);
    database.run('DROP TRIGGER full');
    await pass(5000);
    expect([consumer(a), givenBack]).toEqual(['plaudit', [a]]);
  });
});
