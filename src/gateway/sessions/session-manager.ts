import { groupId, type InteractionId, raterId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import type { DiscountMode, Session, SessionEndReason, UnratedPolicy } from '../../shared/domain/session';
import { err, ok, type Result } from '../../shared/lib/result';
import { TreeCache } from '../interactions/tree-cache';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { equalSecrets, type RandomSource, randomHex, randomUrlSafe } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { Database } from '../store/database';
import type { AwaitedSessions } from '../store/grants';
import type { InteractionStore } from '../store/interactions';
import type { SessionStore } from '../store/sessions';
import { RefreshQueue } from './refresh-queue';
import type { CapacityFacts, SessionCapacity } from './session-capacity';
import { SessionHandovers } from './session-handovers';
import {
  endedKey,
  endedMeanwhile,
  keyInUse,
  noCapacity,
  noKeySent,
  refreshInProgress,
  refreshingKey,
  refreshTimedOut,
  type SessionRequest,
  unknownKey,
} from './session-request';
import { TaskCounters } from './task-counters';
import { TrainerWaiters, type WaitOutcome } from './trainer-waiters';

export type { SessionRequest } from './session-request';

export interface SessionManagerOptions {
  readonly adminKey: string;
  readonly defaultTurnDiscount: number;
  readonly defaultDiscountMode: DiscountMode;
  readonly defaultUnratedPolicy: { readonly human: UnratedPolicy; readonly agent: UnratedPolicy };
  /** agent sessions without a call for this long are ended; human ones wait for their rater */
  readonly sessionTimeoutMs: number;
  /** how long a refresh waits for capacity */
  readonly refreshTimeoutMs: number;
  /** how long a trainer waits for a session, and an ended one for its trainer to take it */
  readonly waitTimeoutMs: number;
}

interface SessionManagerPorts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly awaited: AwaitedSessions;
  readonly capacity: SessionCapacity;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: EventHub;
}

/** About 100 MB of conversation trees; trees used less lately are built again on need. */
const MESSAGES_IN_MEMORY = 500_000;
const IDLE_PER_COMMIT = 50;

/**
 * Opens, finds and ends sessions. The database is the truth; conversation trees are kept in memory, rebuilt on need.
 *
 * Each step is synchronous and one commit. Only a refresh may take long: when there is no room for the new session, the
 * old one is ended first, and the key has no session until there is.
 */
export class SessionManager {
  readonly #trees: TreeCache;
  readonly #counters: TaskCounters;
  readonly #waiters: TrainerWaiters;
  readonly #handovers: SessionHandovers;
  readonly #refreshes: RefreshQueue;
  #isClosed = false;

  constructor(
    private readonly ports: SessionManagerPorts,
    private readonly options: SessionManagerOptions,
  ) {
    const { capacity, sessions, clock, events } = ports;
    this.#trees = new TreeCache(MESSAGES_IN_MEMORY, (id) => ports.interactions.listConversations(id));
    this.#counters = new TaskCounters(sessions);
    const claims = { claimGrant: () => capacity.claimGrant(), dropClaim: () => capacity.dropClaim() };
    this.#handovers = new SessionHandovers(ports, options.waitTimeoutMs);
    const orphans = this.#handovers.resume();
    this.#waiters = new TrainerWaiters({ clock, ...claims, nextEnded: () => this.#handovers.next() }, orphans);
    this.#refreshes = new RefreshQueue(clock);
    events.subscribe(({ kind }) => {
      if (kind !== 'session-start') this.#refreshes.tryAll();
    });
  }

  /**
   * Starts a session. The key of an open session is refreshed: that session ends, and the new one starts under the same
   * key as soon as there is room. A key whose session has ended is used again; a key never issued is replaced.
   *
   * @param signal - the client's: an abort while a refresh waits gives the place up
   */
  async start(request: SessionRequest, signal: AbortSignal): Promise<Result<Session, Refusal>> {
    const { sessions, capacity } = this.ports;
    const misuse = this.#findKeyMisuse(request.apiKey);
    if (misuse !== null) return err(misuse);
    const open = request.apiKey === null ? null : sessions.findOpenByKey(request.apiKey);
    if (open === null) {
      const [started] = this.#open(request, 1, this.#knownKey(request.apiKey), null) ?? [];
      return started === undefined ? err(noCapacity(capacity.retryAfter())) : ok(started);
    }
    // Who came first is served first, unless the request is a person's: those never wait.
    const [started] = this.#open(request, 1, open.apiKey, open) ?? [];
    return started === undefined ? this.#refreshLater(request, open.apiKey, signal) : ok(started);
  }

  /** Starts the sessions of one group, all or none. A key in use is refused: nothing is refreshed. */
  startGroup(request: SessionRequest, size: number): Result<Session[], Refusal> {
    const { sessions, capacity } = this.ports;
    const misuse = this.#findKeyMisuse(request.apiKey);
    if (misuse !== null) return err(misuse);
    const open = request.apiKey === null ? null : sessions.findOpenByKey(request.apiKey);
    if (open !== null) return err(keyInUse(open.id));
    const group = request.groupId ?? `grp-${randomHex(this.ports.random, 32)}`;
    const started = this.#open({ ...request, groupId: group }, size, this.#knownKey(request.apiKey), null);
    return started === null ? err(noCapacity(capacity.retryAfter())) : ok(started);
  }

  /**
   * Blocks until an agent's session has been given to this trainer and has ended.
   *
   * Whoever is given one must say what became of the reply: {@link noteHandover}.
   */
  waitForSession(signal: AbortSignal): Promise<WaitOutcome> {
    return this.#waiters.wait(this.options.waitTimeoutMs, signal, () => this.#refreshes.tryAll());
  }

  /** Whether the reply that tells a trainer of an ended session was written; if not, the next trainer is told. */
  noteHandover(id: SessionId, isWritten: boolean): void {
    if (isWritten) {
      this.#handovers.told(id);
    } else {
      this.#handovers.lost(id);
      this.#waiters.serve();
    }
  }

  /**
   * Whether a trainer outside may hold this for its own session, whoever trains it now: what it exports it means to take,
   * which is refused once a batch here has it.
   */
  isKnownOutside(id: SessionId): boolean {
    return this.ports.sessions.find(id)?.consumer === 'external' || this.ports.awaited.has(id);
  }

  /** A trainer outside allows one more session. @returns what it allowed and nobody has used yet */
  grant(): number {
    const capacity = this.ports.capacity.grant();
    this.#refreshes.tryAll();
    return capacity;
  }

  facts(): CapacityFacts {
    return this.ports.capacity.facts({ waiters: this.#waiters.size, refreshing: this.#refreshes.size });
  }

  /**
   * Notes an access. Call it inside the transaction of what the access does: a commit of its own would cost as much.
   *
   * @returns false when the session has ended meanwhile
   */
  touch(id: SessionId): boolean {
    return this.ports.sessions.touch(id, this.ports.clock.now());
  }

  /** The open session of a key: one indexed lookup, whatever the number of sessions. */
  authenticate(apiKey: string | null): Result<Session, Refusal> {
    if (apiKey === null) return err(noKeySent());
    const session = this.ports.sessions.findOpenByKey(apiKey);
    return session === null ? err(this.#explainKey(apiKey)) : ok(session);
  }

  /** Why a call that found its session open could not be recorded in it. */
  explainEnd({ id, apiKey }: Session): Refusal {
    const ended = this.ports.sessions.find(id);
    const isKeyOpen = this.ports.sessions.findOpenByKey(apiKey) !== null;
    return isKeyOpen ? endedMeanwhile(id) : endedKey(id, ended?.endedAt ?? this.ports.clock.now());
  }

  /** Why a key has no open session. */
  #explainKey(apiKey: string): Refusal {
    if (this.#refreshes.has(apiKey)) return refreshingKey();
    const last = this.ports.sessions.findNewestByKey(apiKey);
    return last === null ? unknownKey() : endedKey(last.id, last.endedAt ?? last.lastAccessAt);
  }

  /** Idempotent. @param alongside - committed together with the end @returns true when this call ended it */
  end(id: SessionId, reason: SessionEndReason, alongside: () => void = () => undefined): boolean {
    return this.#endAll([id], reason, alongside).length === 1;
  }

  /**
   * Ends agent sessions nobody has used for the timeout. Their interactions and ratings stay, and train like any other.
   *
   * Between two commits everybody else has a turn: ten thousand at once take seconds.
   */
  async endIdle(): Promise<SessionId[]> {
    const { clock, sessions } = this.ports;
    const before = clock.now() - this.options.sessionTimeoutMs;
    const idle = sessions.listIdleAgents(before);
    const ended: SessionId[] = [];
    for (let from = 0; from < idle.length && !this.#isClosed; from += IDLE_PER_COMMIT) {
      const slice = idle.slice(from, from + IDLE_PER_COMMIT);
      // Somebody may have called meanwhile.
      const still = slice.filter((id) => (sessions.find(id)?.lastAccessAt ?? before) < before);
      ended.push(...this.#endAll(still, 'idle', () => undefined));
      await clock.sleep(0);
    }
    return ended;
  }

  findParent(id: SessionId, messages: readonly ChatMessage[]): InteractionId | null {
    return this.#trees.findParent(id, messages);
  }

  /** Call after the interaction was committed as finished. */
  remember(session: SessionId, id: InteractionId, messages: readonly ChatMessage[], output: ChatMessage): void {
    this.#trees.add(session, { id, messages, output });
  }

  /** Lets go of everybody who waits. */
  close(): void {
    this.#isClosed = true;
    this.#handovers.close();
    this.#waiters.close();
    this.#refreshes.close();
  }

  async #refreshLater(request: SessionRequest, key: string, signal: AbortSignal): Promise<Result<Session, Refusal>> {
    const { capacity } = this.ports;
    const attempt = (): Session | null => this.#open(request, 1, key, null)?.[0] ?? null;
    const outcome = await this.#refreshes.wait(key, attempt, this.options.refreshTimeoutMs, signal);
    switch (outcome.kind) {
      case 'started':
        return ok(outcome.session);
      case 'closed':
        return err(refusal('closing', 'The gateway is closing. Your old session was ended; the key stays valid.'));
      case 'timeout':
        return err(refreshTimedOut(this.options.refreshTimeoutMs, capacity.retryAfter()));
    }
  }

  /**
   * Ends `ending` and starts the new sessions, in one commit; without room it only ends.
   *
   * @returns null when there is no room
   */
  #open(request: SessionRequest, size: number, key: string | null, ending: Session | null): Session[] | null {
    const { database, sessions, capacity, clock } = this.ports;
    const isAgent = request.source === 'agent';
    const consumer = request.consumer ?? 'plaudit';
    const waiting = isAgent && consumer === 'plaudit' ? this.#waiters.size : 0;
    const now = clock.now();
    const outcome = this.#withFreshCapacity(() =>
      database.transaction(() => {
        const ended = ending === null ? null : this.#endRow(ending, now, 'refresh');
        if (isAgent && !capacity.hasRoom({ size, waiting, consumer, ending }))
          return { ended, opened: null, awaited: [] };
        const awaited = Math.min(size, waiting);
        const opened = this.#draft(request, { size, awaited, key, now });
        for (const session of opened) sessions.insert(session);
        for (const { id } of opened.slice(0, awaited)) this.ports.awaited.add(id);
        if (isAgent) capacity.spend(size - awaited);
        return { ended, opened, awaited: opened.slice(0, awaited) };
      }),
    );
    // The start first: an end lets waiting refreshes start, which must not be given the same trainer.
    if (outcome.opened !== null) this.#announceStart(request.taskId, outcome.opened, outcome.awaited);
    if (ending !== null && outcome.ended !== null) this.#announceEnd(ending, outcome.ended, 'refresh');
    return outcome.opened;
  }

  /** What was read inside a transaction may have been rolled back with it. */
  #withFreshCapacity<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.ports.capacity.refresh();
      throw error;
    }
  }

  #draft(
    request: SessionRequest,
    plan: { readonly size: number; readonly awaited: number; readonly key: string | null; readonly now: number },
  ): Session[] {
    const { options } = this;
    const first = this.#counters.next(request.taskId);
    return Array.from({ length: plan.size }, (_, k) => {
      const id = sessionId(`${request.taskId}-${first + k}`);
      return {
        id,
        taskId: request.taskId,
        groupId: groupId(request.groupId ?? id),
        apiKey: plan.key ?? `sk-sess-${randomUrlSafe(this.ports.random, 32)}`,
        source: request.source,
        raterId: request.raterId === null ? null : raterId(request.raterId),
        turnDiscount: request.turnDiscount ?? options.defaultTurnDiscount,
        discountMode: request.discountMode ?? options.defaultDiscountMode,
        unratedPolicy:
          request.unratedPolicy ?? options.defaultUnratedPolicy[request.source === 'human' ? 'human' : 'agent'],
        consumer: k < plan.awaited ? 'external' : (request.consumer ?? 'plaudit'),
        state: 'open',
        createdAt: plan.now,
        endedAt: null,
        endReason: null,
        takenAt: null,
        lastAccessAt: plan.now,
      };
    });
  }

  #endAll(ids: readonly SessionId[], reason: SessionEndReason, alongside: () => void): SessionId[] {
    const { database, sessions, clock } = this.ports;
    const now = clock.now();
    const ended = database.transaction(() => {
      alongside();
      return ids.flatMap((id) => {
        const session = sessions.find(id);
        return session?.state === 'open' ? [[session, this.#endRow(session, now, reason)] as const] : [];
      });
    });
    for (const [before, after] of ended) this.#announceEnd(before, after, reason);
    return ended.map(([{ id }]) => id);
  }

  /**
   * A session that was given to a trainer outside who is gone is trained here: no rating is lost. One whose trainer waits
   * stays marked until it was taken, so that the death of either of us loses nothing.
   */
  #endRow(session: Session, at: number, reason: SessionEndReason): Session {
    const { sessions, awaited } = this.ports;
    let { consumer } = session;
    if (consumer === 'external' && awaited.has(session.id)) {
      const isWaitedFor = this.#waiters.isAwaited(session.id);
      if (!isWaitedFor || reason === 'abort') awaited.remove(session.id);
      if (!isWaitedFor) {
        consumer = 'plaudit';
        sessions.giveBack(session.id);
      }
    }
    sessions.end(session.id, at, reason);
    return { ...session, state: 'ended', endedAt: at, endReason: reason, consumer };
  }

  #announceStart(taskId: string, opened: readonly Session[], awaited: readonly Session[]): void {
    const { capacity, events } = this.ports;
    this.#counters.advance(taskId, opened.length);
    for (const session of opened) {
      capacity.opened(session);
      this.ports.sessions.noteOpened(session);
      this.#trees.begin(session.id);
    }
    this.#waiters.assign(awaited);
    for (const { id } of opened) events.publish({ kind: 'session-start', session_id: id });
  }

  #announceEnd(before: Session, after: Session, reason: SessionEndReason): void {
    this.#trees.forget(before.id);
    this.ports.capacity.ended(before);
    if (reason !== 'abort' && this.#waiters.isAwaited(before.id)) this.#handovers.begin(before.id);
    this.#waiters.sessionEnded(after, reason === 'abort' ? 'it was aborted' : null);
    this.ports.events.publish({ kind: 'session-end', session_id: before.id });
  }

  #findKeyMisuse(apiKey: string | null): Refusal | null {
    if (apiKey === null) return null;
    if (equalSecrets(apiKey, this.options.adminKey))
      return refusal('admin-key-as-session-key', 'Cannot use the admin API key as a session key.', 'api_key');
    return this.#refreshes.has(apiKey) ? refreshInProgress(this.ports.capacity.retryAfter()) : null;
  }

  #knownKey(apiKey: string | null): string | null {
    return apiKey !== null && this.ports.sessions.isKnownKey(apiKey) ? apiKey : null;
  }
}
