import type { SessionId } from '../../shared/domain/ids';
import type { RatingState } from '../../shared/domain/reward';
import { err, ok, type Result } from '../../shared/lib/result';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { type Refusal, refusal } from '../platform/refusal';
import type { SessionManager } from '../sessions/session-manager';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';
import type { RewardStore } from '../store/rewards';
import type { SessionStore } from '../store/sessions';

export interface AbortPorts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly dropped: DroppedStore;
  readonly rewards: RewardStore;
  readonly manager: SessionManager;
  readonly clock: Clock;
  readonly events: EventHub;
  /** stops the answers of a session that run. @returns how many ran */
  readonly cancelAnswers: (id: SessionId) => number;
}

/** What an abort did. */
export interface AbortOutcome {
  /** false when the session had ended before */
  readonly ended: boolean;
  readonly cancelled: number;
  /** every rating of the session */
  readonly ratings: readonly AbortedRating[];
}

/** What became of one rating of an aborted session. */
export interface AbortedRating {
  readonly interactionId: string;
  readonly reward: number;
  readonly state: RatingState;
  readonly batchId: number | null;
  readonly version: number | null;
  readonly reason: string | null;
}

const REASON = 'session aborted';

/**
 * Ends a session and drops all of it that no batch holds, in one commit: nothing of that is ever trained, and no later
 * rating opens it again. What a batch holds stays there. Repeating it changes nothing.
 */
export function abortSession(ports: AbortPorts, id: SessionId): Result<AbortOutcome, Refusal> {
  const { database, sessions, dropped, rewards, manager, clock, events } = ports;
  if (sessions.find(id) === null) return err(refusal('not-found', `Session ${id} not found.`));
  const drop = (): void => dropped.addSession(id, REASON, clock.now());
  const ended = manager.end(id, 'abort', drop);
  if (!ended) {
    database.transaction(() => {
      sessions.markAborted(id);
      drop();
    });
    events.publish({ kind: 'reward-set', session_id: id });
  }
  const cancelled = ports.cancelAnswers(id);
  const ratings = [...rewards.standingsOfSession(id)].flatMap(([interactionId, standing]) =>
    standing.reward === null ? [] : [{ ...standing, interactionId, reward: standing.reward }],
  );
  return ok({ ended, cancelled, ratings });
}
