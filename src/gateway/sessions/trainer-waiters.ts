import type { SessionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import type { Clock } from '../platform/clock';

/** How waiting for a session ended. */
export type WaitOutcome =
  | { readonly kind: 'ended'; readonly session: Session }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' };

interface Waiter {
  readonly hasGrant: boolean;
  sessionId: SessionId | null;
  settle(outcome: WaitOutcome): void;
}

export interface WaitersPorts {
  readonly clock: Clock;
  /** a grant for a trainer that begins to wait; true when it got one */
  readonly claimGrant: () => boolean;
  /** its grant was used, or is withdrawn with it */
  readonly dropClaim: () => void;
  /** an ended session whose trainer was never told; it is this one's now */
  readonly nextEnded: () => Session | null;
}

/**
 * Trainers outside that wait for a session: first in line takes the next one and hears when it ends.
 *
 * A waiter that times out or disconnects leaves at once, with its grant. The session it had goes to the next in line, or
 * goes on without one until a trainer comes, oldest first.
 */
export class TrainerWaiters {
  /** insertion order is the order of arrival */
  readonly #ready = new Set<Waiter>();
  readonly #bySession = new Map<SessionId, Waiter>();
  readonly #orphans: Set<SessionId>;
  #isClosed = false;

  /** @param orphans - open sessions that a trainer waited for when the gateway stopped, oldest first */
  constructor(
    private readonly ports: WaitersPorts,
    orphans: readonly SessionId[],
  ) {
    this.#orphans = new Set(orphans);
  }

  /** how many are without a session */
  get size(): number {
    return this.#ready.size;
  }

  /**
   * Blocks until the session that this waiter is given has ended.
   *
   * @param signal - the client's: an abort is an outcome, `cancelled`
   * @param onReady - called when it stands in line
   */
  async wait(timeoutMs: number, signal: AbortSignal, onReady: () => void): Promise<WaitOutcome> {
    if (this.#isClosed || signal.aborted) return { kind: 'cancelled' };
    const done = new AbortController();
    let outcome: WaitOutcome | null = null;
    const waiter: Waiter = {
      hasGrant: this.ports.claimGrant(),
      sessionId: null,
      settle: (value) => {
        if (outcome !== null) return;
        outcome = value;
        this.#leave(waiter, value);
        done.abort();
      },
    };
    const leave = (): void => waiter.settle({ kind: 'cancelled' });
    signal.addEventListener('abort', leave, { once: true });
    this.#enter(waiter);
    this.serve();
    onReady();
    await this.ports.clock.sleep(timeoutMs, done.signal);
    waiter.settle({ kind: 'timeout' });
    signal.removeEventListener('abort', leave);
    return outcome ?? { kind: 'timeout' };
  }

  /** Gives new sessions to the first in line, one each, after they were committed as theirs. */
  assign(sessions: readonly Session[]): void {
    for (const { id } of sessions) {
      const [first] = this.#ready;
      if (first === undefined) throw new Error(`session ${id} was given to a trainer, but none waits`);
      this.#hold(first, id);
    }
  }

  /** Gives ended sessions that nobody was told of to whoever waits, first come first served. */
  serve(): void {
    for (const waiter of [...this.#ready]) {
      const session = this.ports.nextEnded();
      if (session === null) return;
      waiter.settle({ kind: 'ended', session });
    }
  }

  /** Whether somebody waits for the end of this session. */
  isAwaited(id: SessionId): boolean {
    return this.#bySession.has(id);
  }

  /** Tells who waits for it; call after the commit. */
  sessionEnded(session: Session, failure: string | null): void {
    this.#orphans.delete(session.id);
    const outcome: WaitOutcome = failure === null ? { kind: 'ended', session } : { kind: 'failed', reason: failure };
    this.#bySession.get(session.id)?.settle(outcome);
  }

  close(): void {
    this.#isClosed = true;
    for (const waiter of [...this.#ready, ...this.#bySession.values()]) waiter.settle({ kind: 'cancelled' });
  }

  #enter(waiter: Waiter): void {
    this.#ready.add(waiter);
    const [orphan] = this.#orphans;
    if (orphan === undefined) return;
    this.#orphans.delete(orphan);
    this.#hold(waiter, orphan);
  }

  #hold(waiter: Waiter, id: SessionId): void {
    this.#ready.delete(waiter);
    waiter.sessionId = id;
    this.#bySession.set(id, waiter);
    if (waiter.hasGrant) this.ports.dropClaim();
  }

  #leave(waiter: Waiter, outcome: WaitOutcome): void {
    if (this.#ready.delete(waiter)) {
      if (waiter.hasGrant) this.ports.dropClaim();
      return;
    }
    if (waiter.sessionId === null) return;
    this.#bySession.delete(waiter.sessionId);
    const isStillOpen = outcome.kind === 'timeout' || outcome.kind === 'cancelled';
    if (!isStillOpen) return;
    const [next] = this.#ready;
    if (next === undefined) this.#orphans.add(waiter.sessionId);
    else this.#hold(next, waiter.sessionId);
  }
}
