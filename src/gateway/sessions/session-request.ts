import type { DiscountMode, Session, SessionSource, UnratedPolicy } from '../../shared/domain/session';
import { type Refusal, refusal } from '../platform/refusal';

/** What a caller may choose about a new session; null = the gateway's default. */
export interface SessionRequest {
  readonly taskId: string;
  readonly apiKey: string | null;
  readonly groupId: string | null;
  readonly source: SessionSource;
  readonly raterId: string | null;
  readonly turnDiscount: number | null;
  readonly discountMode: DiscountMode | null;
  readonly unratedPolicy: UnratedPolicy | null;
  /** `external`: for a trainer outside, whether or not one waits */
  readonly consumer: Session['consumer'] | null;
}

/** AReaL's sentence first: its clients look for it. */
export function noCapacity(retryAfter: number): Refusal {
  return {
    ...refusal(
      'no-capacity',
      'No available capacity to start a new session. As many sessions are open or wait for training as the gateway may collect ahead; try again after the time in Retry-After.',
    ),
    retryAfter,
  };
}

export function refreshInProgress(retryAfter: number): Refusal {
  return { ...refusal('refresh-in-progress', 'A refresh is already in progress for this key.', 'api_key'), retryAfter };
}

export function refreshTimedOut(timeoutMs: number, retryAfter: number): Refusal {
  const message = `Refresh timed out (${timeoutMs / 1000}s). Your old session was ended. Retry to get a new session; the key stays valid.`;
  return { ...refusal('refresh-timeout', message, 'api_key'), retryAfter };
}

export function keyInUse(sessionId: string): Refusal {
  return refusal('key-in-use', `API key is already bound to active session ${sessionId}.`, 'api_key');
}

export function noKeySent(): Refusal {
  return refusal(
    'invalid-session-key',
    "Invalid session key: none was sent. Send 'Authorization: Bearer <key>' or 'x-api-key: <key>' with the key that /rl/start_session returned.",
  );
}

export function unknownKey(): Refusal {
  return refusal(
    'invalid-session-key',
    'Invalid session key: this gateway never issued it. Start a session with POST /rl/start_session and use the api_key it returns.',
  );
}

/** The key went on to another session while the call was on its way. */
export function endedMeanwhile(sessionId: string): Refusal {
  const message = `The session ${sessionId} ended while this request was on its way, and its key has another session now. Send the request again if it is meant for that one.`;
  return refusal('invalid-session-key', message);
}

export function endedKey(sessionId: string, endedAt: number): Refusal {
  const ended = new Date(endedAt).toISOString();
  return refusal(
    'invalid-session-key',
    `Invalid session key: its session ${sessionId} ended at ${ended}. Start a new one under the same key with POST /rl/start_session and this key as api_key.`,
  );
}

export function refreshingKey(): Refusal {
  return refusal(
    'invalid-session-key',
    'Invalid session key: it is being refreshed. Its old session has ended and its new one waits for capacity.',
  );
}
