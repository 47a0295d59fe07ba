import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import { EventHub } from '../platform/event-hub';
import { systemRandom } from '../platform/random';
import { type Database, openDatabase } from '../store/database';
import { AwaitedSessions, GrantStore } from '../store/grants';
import { InteractionStore } from '../store/interactions';
import { SessionStore } from '../store/sessions';
import { type AdmissionMode, SessionCapacity } from './session-capacity';
import { SessionManager } from './session-manager';
import type { WaitOutcome } from './trainer-waiters';

const MAX_OPEN = 4;
const TASKS = ['a', 'a-0', 'b'];

/** Time that stands still: a wait ends only when something happens. */
const clock = {
  now: () => 1000,
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted === true) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    }),
  every: () => () => undefined,
};

interface World {
  readonly manager: SessionManager;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
}

/** A manager over a database, as after a start of the gateway. */
function boot(database: Database, admission: AdmissionMode): World {
  const events = new EventHub();
  const sessions = new SessionStore(database);
  const grants = new GrantStore(database);
  const training = () => ({ hasTrainer: false, batchId: 0, isBatchUnderWay: false });
  const capacity = new SessionCapacity(
    { sessions, grants, clock, events, training, waitingRows: () => 0 },
    { admission, maxOpenSessions: MAX_OPEN, maxHeadOffpolicyness: 0, batchSize: 1 },
  );
  const interactions = new InteractionStore(database);
  const awaited = new AwaitedSessions(database);
  const manager = new SessionManager(
    { database, sessions, interactions, awaited, capacity, clock, random: systemRandom, events },
    {
      adminKey: 'the-admin-key',
      defaultTurnDiscount: 1,
      defaultDiscountMode: 'linear',
      defaultUnratedPolicy: { human: 'hold', agent: 'hold' },
      sessionTimeoutMs: 1000,
      refreshTimeoutMs: 1000,
      waitTimeoutMs: 1000,
    },
  );
  return { manager, sessions, grants };
}

const step = fc.oneof(
  fc.record({ do: fc.constant('start' as const), task: fc.nat(2), human: fc.boolean() }),
  fc.record({ do: fc.constant('refresh' as const), at: fc.nat(20), human: fc.boolean() }),
  fc.record({ do: fc.constant('end' as const), at: fc.nat(20), abort: fc.boolean() }),
  fc.record({ do: fc.constant('group' as const), size: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('wait' as const) }),
  fc.record({ do: fc.constant('lose' as const), next: fc.boolean() }),
  fc.record({ do: fc.constant('leave' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('hang-up' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('grant' as const) }),
  fc.record({ do: fc.constant('restart' as const) }),
);

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts, refreshes, ends, waiters and restarts in any order, and what must hold after each. */
class Story {
  readonly started: Session[] = [];
  readonly told: SessionId[] = [];
  /** whose reply broke, so that the next trainer must be told */
  readonly lost = new Set<SessionId>();
  #isNextLost = false;
  #leaves: AbortController[] = [];
  #refreshes: AbortController[] = [];
  world: World;

  constructor(
    private readonly database: Database,
    private readonly admission: AdmissionMode,
  ) {
    this.world = boot(database, admission);
  }

  async run(move: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const { manager } = this.world;
    switch (move.do) {
      case 'start':
        this.#begin({ taskId: TASKS[move.task] ?? 'a', source: move.human ? 'human' : 'agent' });
        break;
      case 'refresh': {
        const old = this.started[move.at % Math.max(1, this.started.length)];
        if (old !== undefined)
          this.#begin({ taskId: old.taskId, source: move.human ? 'human' : 'agent', apiKey: old.apiKey });
        break;
      }
      case 'end': {
        const session = this.started[move.at % Math.max(1, this.started.length)];
        if (session !== undefined) manager.end(session.id, move.abort ? 'abort' : 'client');
        break;
      }
      case 'group': {
        const group = manager.startGroup({ ...REQUEST, taskId: 'b' }, move.size);
        if (group.ok) this.started.push(...group.value);
        break;
      }
      case 'wait': {
        const leave = new AbortController();
        this.#leaves.push(leave);
        void manager.waitForSession(leave.signal).then((outcome) => this.#hear(outcome));
        break;
      }
      case 'lose':
        this.#isNextLost = move.next;
        break;
      case 'leave':
        this.#leaves[move.at % Math.max(1, this.#leaves.length)]?.abort();
        break;
      case 'hang-up':
        this.#refreshes[move.at % Math.max(1, this.#refreshes.length)]?.abort();
        break;
      case 'grant':
        manager.grant();
        break;
      case 'restart':
        manager.close();
        await settle();
        [this.#leaves, this.#refreshes] = [[], []];
        this.world = boot(this.database, this.admission);
        break;
    }
    await settle();
  }

  check(): void {
    const { manager, sessions, grants } = this.world;
    const stored = this.started.map(({ id }) => sessions.find(id) as Session); // started, so stored
    const open = stored.filter(({ state }) => state === 'open');
    const agents = open.filter(({ source }) => source === 'agent');
    const facts = manager.facts();
    expect({ running: facts.running, external: facts.external }).toEqual({
      running: agents.filter(({ consumer }) => consumer === 'plaudit').length,
      external: agents.filter(({ consumer }) => consumer === 'external').length,
    });
    expect(agents.length).toBeLessThanOrEqual(MAX_OPEN);
    expect(new Set(open.map(({ apiKey }) => apiKey)).size).toBe(open.length);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    for (const session of open)
      expect(manager.authenticate(session.apiKey)).toMatchObject({ value: { id: session.id } });
    expect(facts.granted).toBeGreaterThanOrEqual(grants.count());
    // Whoever was told of a session has it for good, and nobody else was told of it.
    expect(new Set(this.told).size).toBe(this.told.length);
    expect(this.told.filter((id) => this.lost.has(id))).toEqual([]);
    // Nobody stands in line while there is something to be had.
    if (facts.waiters > 0) expect([...this.lost]).toEqual([]);
    for (const session of stored)
      if (session.state === 'ended' && session.endReason !== 'abort')
        expect([session.id, session.consumer]).toEqual([
          session.id,
          this.told.includes(session.id) || this.lost.has(session.id) ? 'external' : 'plaudit',
        ]);
  }

  #hear(outcome: WaitOutcome): void {
    if (outcome.kind !== 'ended') return;
    const { id } = outcome.session;
    const isLost = this.#isNextLost;
    this.#isNextLost = false;
    this.lost.delete(id);
    if (isLost) this.lost.add(id);
    else this.told.push(id);
    this.world.manager.noteHandover(id, !isLost);
  }

  #begin(fields: Partial<typeof REQUEST> & { readonly taskId: string; readonly source: 'human' | 'agent' }): void {
    const hangUp = new AbortController();
    this.#refreshes.push(hangUp);
    void this.world.manager.start({ ...REQUEST, ...fields }, hangUp.signal).then((outcome) => {
      if (outcome.ok) this.started.push(outcome.value);
    });
  }
}

const REQUEST: {
  apiKey: string | null;
  groupId: null;
  source: 'human' | 'agent';
  raterId: null;
  turnDiscount: null;
  discountMode: null;
  unratedPolicy: null;
  consumer: null;
} = {
  apiKey: null,
  groupId: null,
  source: 'agent',
  raterId: null,
  turnDiscount: null,
  discountMode: null,
  unratedPolicy: null,
  consumer: null,
};

describe('SessionManager', () => {
  it.each<AdmissionMode>(['gate', 'soft', 'grants'])(
    'counts right, hands every session out once and forgets nothing, in any order and over restarts (%s)',
    async (admission) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (moves) => {
          const database = openDatabase(':memory:');
          const story = new Story(database, admission);
          for (const move of moves) {
            await story.run(move);
            story.check();
          }
          story.world.manager.close();
          database.close();
        }),
        { numRuns: 60 },
      );
    },
  );

  it('never starts more sessions in mode grants than were granted or waited for', async () => {
    const kinds = fc.constantFrom('start' as const, 'grant' as const, 'wait' as const, 'end' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { maxLength: 40 }), async (moves) => {
        const database = openDatabase(':memory:');
        const story = new Story(database, 'grants');
        let [grants, waits] = [0, 0];
        for (const kind of moves) {
          if (kind === 'grant') grants += 1;
          if (kind === 'wait') waits += 1;
          await story.run(
            kind === 'start'
              ? { do: 'start', task: 0, human: false }
              : kind === 'end'
                ? { do: 'end', at: story.started.length - 1, abort: false }
                : { do: kind },
          );
          expect(story.started.length).toBeLessThanOrEqual(grants + waits);
        }
        story.world.manager.close();
        database.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe('a call whose session ended before it was recorded', () => {
  it('is told of its own session, and not to restart the one that its key has now', async () => {
    const database = openDatabase(':memory:');
    const { manager } = boot(database, 'soft');
    const { signal } = new AbortController();
    const first = await manager.start({ ...REQUEST, taskId: 'a', source: 'human' }, signal);
    if (!first.ok) throw new Error(first.error.message);
    const second = await manager.start(
      { ...REQUEST, taskId: 'a', source: 'human', apiKey: first.value.apiKey },
      signal,
    );
    if (!second.ok) throw new Error(second.error.message);
    const { message } = manager.explainEnd(first.value);
    expect(message).toContain(`The session ${first.value.id} ended`);
    expect(message).toContain('Send the request again');
    expect(message).not.toContain(second.value.id);
    manager.end(second.value.id, 'client');
    expect(manager.explainEnd(second.value).message).toContain(`its session ${second.value.id} ended at`);
    manager.close();
    database.close();
  });
});
