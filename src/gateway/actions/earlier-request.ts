import type { Session } from '../../shared/domain/session';
import { err, ok, type Result } from '../../shared/lib/result';
import { type Refusal, refusal } from '../platform/refusal';
import type { InteractionStore, StoredRequest } from '../store/interactions';
import type { LiveRequests } from './live-requests';

/** What a request says of being a repetition. */
export interface RetrySigns {
  /** the `Idempotency-Key` header */
  readonly idempotencyKey: string | null;
  /** the `x-stainless-retry-count` header, 0 without it */
  readonly retryCount: number;
}

export interface EarlierRequestPorts {
  readonly interactions: InteractionStore;
  readonly live: LiveRequests;
}

/**
 * The stored request with this `Idempotency-Key`, null when there is none; refuses a key that meant another request.
 *
 * @param key - names what the request asks
 */
export function findKeyed(
  { interactions, live }: EarlierRequestPorts,
  session: Session,
  key: () => string,
  { idempotencyKey }: RetrySigns,
): Result<StoredRequest | null, Refusal> {
  if (idempotencyKey === null) return ok(null);
  const stored = interactions.findByIdempotencyKey(session.id, idempotencyKey);
  // Rows are written a moment later than requests are taken: those that run are asked as well.
  const isOtherLive = live
    .ofSession(session.id)
    .some((request) => request.idempotencyKey === idempotencyKey && request.requestKey() !== key());
  if (!isOtherLive && (stored === null || stored.requestKey === key())) return ok(stored);
  const message = `The Idempotency-Key '${idempotencyKey}' was used for another request of this session: choose a new key for every request.`;
  return err(refusal('bad-request', message, 'Idempotency-Key'));
}

/** The earlier equal request whose answer nobody got, which a request without an `Idempotency-Key` may repeat. */
export function findUndelivered(
  { interactions }: EarlierRequestPorts,
  session: Session,
  key: () => string,
  { idempotencyKey, retryCount }: RetrySigns,
): StoredRequest | null {
  if (idempotencyKey !== null) return null;
  // A person who asks again wants another answer; a program without a retry counter may still be one that retries.
  if (retryCount === 0 && session.source === 'human') return null;
  return interactions.mayHaveUndelivered(session.id) ? interactions.findUndelivered(session.id, key()) : null;
}
