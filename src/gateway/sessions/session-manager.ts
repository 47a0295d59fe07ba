import { groupId, type InteractionId, raterId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import type {
  DiscountMode,
  Session,
  SessionEndReason,
  SessionSource,
  UnratedPolicy,
} from '../../shared/domain/session';
import { err, ok, type Result } from '../../shared/lib/result';
import { TreeCache } from '../interactions/tree-cache';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { equalSecrets, type RandomSource, randomUrlSafe } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { Database } from '../store/database';
import type { InteractionStore } from '../store/interactions';
import type { SessionStore } from '../store/sessions';

/** What a caller may choose about a new session. */
export interface SessionRequest {
  readonly taskId: string;
  readonly apiKey: string | null;
  readonly groupId: string | null;
  readonly source: SessionSource;
  readonly raterId: string | null;
  readonly turnDiscount: number | null;
  readonly discountMode: DiscountMode | null;
  readonly unratedPolicy: UnratedPolicy | null;
  readonly consumer: Session['consumer'] | null;
}

export interface SessionManagerOptions {
  readonly adminKey: string;
  readonly defaultTurnDiscount: number;
  readonly defaultDiscountMode: DiscountMode;
  /** by who drives the session; imported ones are driven by a program */
  readonly defaultUnratedPolicy: { readonly human: UnratedPolicy; readonly agent: UnratedPolicy };
  /** agent sessions without a call for this long are ended; human ones wait for their rater */
  readonly sessionTimeoutMs: number;
}

interface SessionManagerPorts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: EventHub;
}

/** About 100 MB of conversation trees; trees used less lately are built again on need. */
const MESSAGES_IN_MEMORY = 500_000;

/**
 * Opens, finds and ends sessions. The database is the truth; only conversation trees are kept in memory, rebuilt on need.
 *
 * Calls are synchronous, so a refresh (end the old session, start the new one under the same key) is never seen half done.
 */
export class SessionManager {
  readonly #trees: TreeCache;

  constructor(
    private readonly ports: SessionManagerPorts,
    private readonly options: SessionManagerOptions,
  ) {
    this.#trees = new TreeCache(MESSAGES_IN_MEMORY, (id) => ports.interactions.listConversations(id));
  }

  /**
   * Starts a session. A key that this gateway issued before is used again, and its open session, if any, is ended in the
   * same commit; a key that it never issued is replaced by a fresh one.
   */
  start(request: SessionRequest): Result<Session, Refusal> {
    const { database, sessions, clock, events } = this.ports;
    if (request.apiKey !== null && equalSecrets(request.apiKey, this.options.adminKey))
      return err(refusal('admin-key-as-session-key', 'Cannot use the admin API key as a session key.', 'api_key'));
    const now = clock.now();
    const { session, ended } = database.transaction(() => {
      const previous = request.apiKey === null ? null : sessions.findNewestByKey(request.apiKey);
      if (previous?.state === 'open') sessions.end(previous.id, now, 'refresh');
      const id = sessionId(`${request.taskId}-${sessions.countOfTask(request.taskId)}`);
      const fresh: Session = {
        id,
        taskId: request.taskId,
        groupId: groupId(request.groupId ?? id),
        apiKey: previous?.apiKey ?? this.#drawKey(),
        source: request.source,
        raterId: request.raterId === null ? null : raterId(request.raterId),
        turnDiscount: request.turnDiscount ?? this.options.defaultTurnDiscount,
        discountMode: request.discountMode ?? this.options.defaultDiscountMode,
        unratedPolicy:
          request.unratedPolicy ?? this.options.defaultUnratedPolicy[request.source === 'human' ? 'human' : 'agent'],
        consumer: request.consumer ?? 'plaudit',
        state: 'open',
        createdAt: now,
        endedAt: null,
        endReason: null,
        takenAt: null,
        lastAccessAt: now,
      };
      sessions.insert(fresh);
      return { session: fresh, ended: previous?.state === 'open' ? previous.id : null };
    });
    if (ended !== null) this.#announceEnd(ended);
    events.publish({ kind: 'session-start', session_id: session.id });
    return ok(session);
  }

  /** Notes an access. Call it inside the transaction of what the access does: a commit of its own would cost as much. */
  touch(id: SessionId): void {
    this.ports.sessions.touch(id, this.ports.clock.now());
  }

  /** The open session of a key. */
  authenticate(apiKey: string | null): Result<Session, Refusal> {
    if (apiKey === null)
      return err(
        refusal(
          'invalid-session-key',
          "Invalid session key: none was sent. Send 'Authorization: Bearer <key>' or 'x-api-key: <key>' with the key that /rl/start_session returned.",
        ),
      );
    const session = this.ports.sessions.findOpenByKey(apiKey);
    return session === null ? err(this.#explainKey(apiKey)) : ok(session);
  }

  /** Idempotent. @returns true when this call ended it */
  end(id: SessionId, reason: SessionEndReason): boolean {
    const didEnd = this.ports.sessions.end(id, this.ports.clock.now(), reason);
    if (didEnd) this.#announceEnd(id);
    return didEnd;
  }

  /** Ends agent sessions nobody has used for the timeout. Their interactions and ratings stay, and train like any other. */
  endIdle(): SessionId[] {
    const before = this.ports.clock.now() - this.options.sessionTimeoutMs;
    const idle = this.ports.sessions.listIdle(before).filter((session) => session.source === 'agent');
    return idle.filter((session) => this.end(session.id, 'idle')).map((session) => session.id);
  }

  findParent(id: SessionId, messages: readonly ChatMessage[]): InteractionId | null {
    return this.#trees.findParent(id, messages);
  }

  /** Call after the interaction was committed as finished. */
  remember(session: SessionId, id: InteractionId, messages: readonly ChatMessage[], output: ChatMessage): void {
    this.#trees.add(session, { id, messages, output });
  }

  #announceEnd(id: SessionId): void {
    this.#trees.forget(id);
    this.ports.events.publish({ kind: 'session-end', session_id: id });
  }

  #drawKey(): string {
    return `sk-sess-${randomUrlSafe(this.ports.random, 32)}`;
  }

  #explainKey(apiKey: string): Refusal {
    const last = this.ports.sessions.findNewestByKey(apiKey);
    if (last === null)
      return refusal(
        'invalid-session-key',
        'Invalid session key: this gateway never issued it. Start a session with POST /rl/start_session and use the api_key it returns.',
      );
    const ended = new Date(last.endedAt ?? last.lastAccessAt).toISOString();
    return refusal(
      'invalid-session-key',
      `Invalid session key: its session ${last.id} ended at ${ended}. Start a new one under the same key with POST /rl/start_session and this key as api_key.`,
    );
  }
}
