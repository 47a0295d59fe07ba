import type { AnswerHead } from '../../shared/domain/answer';
import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { Cancellation } from '../platform/cancellation';
import type { RunEvent } from './answer-events';
import type { AnswerTape } from './answer-tape';
import type { Audience } from './audience';

/** A request that is being answered. */
export interface LiveRequest {
  readonly head: AnswerHead;
  readonly ids: readonly InteractionId[];
  readonly idempotencyKey: string | null;
  /** made when somebody asks */
  readonly requestKey: () => string;
  readonly tape: AnswerTape<RunEvent>;
  readonly audience: Audience;
  /** stops the answer: it was given up, its session was aborted, or the gateway closes */
  readonly cancellation: Cancellation;
  /** whether anybody was handed the end of it */
  delivery: 'open' | 'got' | 'missed';
}

/** The requests that run now, by session, so that a client's retry finds the one it repeats. */
export class LiveRequests {
  readonly #bySession = new Map<string, Set<LiveRequest>>();

  add(request: LiveRequest): void {
    const { sessionId } = request.head;
    const requests = this.#bySession.get(sessionId) ?? new Set();
    this.#bySession.set(sessionId, requests.add(request));
  }

  remove(request: LiveRequest): void {
    const { sessionId } = request.head;
    const requests = this.#bySession.get(sessionId);
    requests?.delete(request);
    if (requests?.size === 0) this.#bySession.delete(sessionId);
  }

  /** Equal requests of the session with the same `Idempotency-Key`, or both without one; oldest first. */
  findEqual(session: SessionId, requestKey: () => string, idempotencyKey: string | null): LiveRequest[] {
    return this.ofSession(session).filter(
      (live) => live.idempotencyKey === idempotencyKey && live.requestKey() === requestKey(),
    );
  }

  ofSession(session: SessionId): LiveRequest[] {
    return [...(this.#bySession.get(session) ?? [])];
  }

  all(): LiveRequest[] {
    return [...this.#bySession.values()].flatMap((requests) => [...requests]);
  }
}
