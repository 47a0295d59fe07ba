import type { SessionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import type { Database } from '../store/database';
import type { AwaitedSessions } from '../store/grants';
import type { SessionStore } from '../store/sessions';

export interface HandoverPorts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly awaited: AwaitedSessions;
  readonly clock: Clock;
  readonly events: EventHub;
}

/** A disk that refused to store that a session was given back may take it later. */
const RETRY_MS = 5000;

/**
 * Ended sessions that belong to a trainer outside which has not taken them yet.
 *
 * Each waits in line for a trainer, is being told to one, or was told. Whichever it is, it leaves within the timeout:
 * taken, or given back to training here. Nobody can know whether a reply that was written was also read, so being told
 * is not the end of it, and only a take is.
 */
export class SessionHandovers {
  /** to be told to the next trainer, in the order in which they ended */
  readonly #line = new Set<SessionId>();
  readonly #deadlines = new Map<SessionId, AbortController>();
  #isClosed = false;

  constructor(
    private readonly ports: HandoverPorts,
    private readonly timeoutMs: number,
  ) {}

  /** Goes on where the last gateway stopped. @returns the open sessions, oldest first */
  resume(): SessionId[] {
    const { sessions, awaited, clock } = this.ports;
    const marked = awaited.list().map(({ id, toldAt }) => ({ id, toldAt, session: sessions.find(id) }));
    const ended = marked
      .filter(({ session }) => session?.state === 'ended')
      .sort((a, b) => (a.session?.endedAt ?? 0) - (b.session?.endedAt ?? 0));
    for (const { id, toldAt } of ended) {
      if (toldAt === null) this.#line.add(id);
      // A clock that was set back must not make the wait longer.
      const left = toldAt === null ? this.timeoutMs : toldAt + this.timeoutMs - clock.now();
      this.#setDeadline(id, Math.min(Math.max(left, 0), this.timeoutMs));
    }
    return marked.filter(({ session }) => session?.state === 'open').map(({ id }) => id);
  }

  /** It has ended and a trainer is being told. */
  begin(id: SessionId): void {
    this.#setDeadline(id, this.timeoutMs);
  }

  /** The reply to the trainer was written: now it has the whole time to take the session. */
  told(id: SessionId): void {
    const { awaited, clock } = this.ports;
    if (!this.#deadlines.has(id)) return;
    this.#setDeadline(id, this.timeoutMs);
    try {
      awaited.markTold(id, clock.now());
    } catch {
      // Known in memory; a gateway that starts again before the take tells the next trainer.
    }
  }

  /** The trainer was not told. Its deadline stays: a line of trainers that hang up must not hold it for ever. */
  lost(id: SessionId): void {
    if (this.#deadlines.has(id)) this.#line.add(id);
  }

  /** The first in line that is still to be had, which the caller now tells to a trainer. */
  next(): Session | null {
    for (const id of this.#line) {
      const session = this.#find(id);
      if (session === 'unreadable') return null;
      this.#line.delete(id);
      if (session !== null && isToBeTaken(session)) return session;
    }
    return null;
  }

  close(): void {
    this.#isClosed = true;
    for (const deadline of this.#deadlines.values()) deadline.abort();
  }

  /** Asked when a connection breaks, where nobody is left to hear of a failing disk: what is in line stays there. */
  #find(id: SessionId): Session | null | 'unreadable' {
    try {
      return this.ports.sessions.find(id);
    } catch {
      return 'unreadable';
    }
  }

  #setDeadline(id: SessionId, ms: number): void {
    if (this.#isClosed) return;
    this.#deadlines.get(id)?.abort();
    const moved = new AbortController();
    this.#deadlines.set(id, moved);
    void this.#giveBackAfter(id, ms, moved.signal);
  }

  async #giveBackAfter(id: SessionId, ms: number, moved: AbortSignal): Promise<void> {
    for (let left = ms; ; left = RETRY_MS) {
      await this.ports.clock.sleep(left, moved);
      if (moved.aborted) return;
      try {
        return this.#settle(id);
      } catch {
        // The store tells of a disk that refuses; here it is only tried again.
      }
    }
  }

  #settle(id: SessionId): void {
    const { database, sessions, awaited, events } = this.ports;
    const isGivenBack = database.transaction(() => {
      const session = sessions.find(id);
      if (session === null || !isToBeTaken(session)) {
        awaited.remove(id);
        return false;
      }
      sessions.giveBack(id);
      awaited.markGivenBack(id);
      return true;
    });
    this.#line.delete(id);
    this.#deadlines.delete(id);
    if (isGivenBack) events.publish({ kind: 'reward-set', session_id: id });
  }
}

function isToBeTaken({ state, consumer, takenAt, endReason }: Session): boolean {
  return state === 'ended' && consumer === 'external' && takenAt === null && endReason !== 'abort';
}
