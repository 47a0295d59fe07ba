import { toInteractionId } from '../../shared/domain/answer-ids';
import { type InteractionId, interactionId, type RaterId, type SessionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import { err, ok, type Result } from '../../shared/lib/result';
import type { RewardView } from '../../shared/wire/rl';
import { NOT_RATED } from '../interactions/episode-plan';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { type Refusal, refusal } from '../platform/refusal';
import type { SessionManager } from '../sessions/session-manager';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';
import type { InteractionStore } from '../store/interactions';
import type { RatingStanding, RewardStore } from '../store/rewards';
import type { SessionStore } from '../store/sessions';

export interface RatingPorts {
  readonly manager: Pick<SessionManager, 'touch'>;
  readonly database: Database;
  readonly interactions: InteractionStore;
  readonly sessions: SessionStore;
  readonly rewards: RewardStore;
  readonly dropped: DroppedStore;
  readonly clock: Clock;
  readonly events: EventHub;
}

/** A number for one interaction. */
export interface RewardRequest {
  /** the session whose key was used; null = the admin key, which may name any interaction */
  readonly sessionId: SessionId | null;
  /** of a completion, one of its choices, a response or a message; null = the last finished answer of the session */
  readonly interactionId: string | null;
  /** finite */
  readonly value: number;
  readonly raterId: RaterId | null;
  readonly note: string | null;
}

/** What a rating did to the one before it. */
export interface RewardOutcome {
  readonly interactionId: InteractionId;
  readonly outcome: 'set' | 'changed' | 'unchanged';
  readonly previousReward: number | null;
}

/** Sets or changes a rating, unless a batch holds it. When this returns, the rating is on disk. */
export function setReward(ports: RatingPorts, request: RewardRequest): Result<RewardOutcome, Refusal> {
  const { database, rewards, clock, events } = ports;
  const result = database.transaction((): Result<RewardOutcome, Refusal> => {
    const target = findTarget(ports, request);
    if (!target.ok) return target;
    const { id } = target.value;
    if (request.sessionId !== null) ports.manager.touch(request.sessionId);
    const previous = rewards.find(id);
    const { value, note } = request;
    const rater = request.raterId;
    // Before the question of a batch: a client that lost our reply sends the same rating again, and it was accepted.
    if (previous !== null && previous.value === value && previous.note === note && previous.raterId === rater)
      return ok({ interactionId: id, outcome: 'unchanged', previousReward: previous.value });
    const standing = rewards.standing(id);
    const held = explainHold(ports, target.value, standing, previous === null ? 'set' : 'changed');
    if (held !== null) return err(held);
    // A rating is worth more than the policy that gave up waiting for it; what it says of earlier turns counts too.
    if (isReopened(standing)) ports.dropped.reopen(target.value.sessionId, NOT_RATED);
    // Who rates an answer has seen it, whatever a retry made of it meanwhile.
    ports.interactions.unmarkReplaced(id);
    rewards.set({ interactionId: id, value, raterId: rater, note, ratedAt: clock.now() });
    const outcome = previous === null ? 'set' : 'changed';
    return ok({ interactionId: id, outcome, previousReward: previous?.value ?? null });
  });
  if (result.ok) events.publish({ kind: 'reward-set', interaction_id: result.value.interactionId });
  return result;
}

/** Which rating, and who asks: the key of a session reaches its own answers only. */
export interface RatingTarget {
  /** null = the admin key */
  readonly sessionId: SessionId | null;
  readonly interactionId: string;
}

/**
 * Takes a rating back, unless a batch holds it.
 *
 * @returns the value that was withdrawn; null when there was none, which is no refusal: the caller has what it wants
 */
export function withdrawReward(
  ports: RatingPorts,
  target: RatingTarget,
): Result<{ readonly interactionId: InteractionId; readonly previousReward: number | null }, Refusal> {
  const { database, rewards, clock, events, manager } = ports;
  const result = database.transaction(
    (): Result<{ interactionId: InteractionId; previousReward: number | null }, Refusal> => {
      const found = findInteraction(ports, target);
      if (!found.ok) return found;
      const { id } = found.value;
      const previous = rewards.find(id);
      if (target.sessionId !== null) manager.touch(target.sessionId);
      if (previous === null) return ok({ interactionId: id, previousReward: null });
      const held = explainHold(ports, found.value, rewards.standing(id), 'withdrawn');
      if (held !== null) return err(held);
      rewards.withdraw(id, clock.now());
      return ok({ interactionId: id, previousReward: previous.value });
    },
  );
  if (result.ok && result.value.previousReward !== null)
    events.publish({ kind: 'reward-set', interaction_id: result.value.interactionId });
  return result;
}

/** A rating as it stands, how it came to be, and what can still be done about it. */
export function readReward(ports: RatingPorts, target: RatingTarget): Result<RewardView, Refusal> {
  const found = findInteraction(ports, target);
  if (!found.ok) return found;
  const { id, sessionId, state } = found.value;
  const reward = ports.rewards.find(id);
  const standing = ports.rewards.standing(id);
  const isHeld = explainHold(ports, found.value, standing, 'changed') !== null;
  return ok({
    interaction_id: id,
    session_id: sessionId,
    reward: reward?.value ?? null,
    rater_id: reward?.raterId ?? null,
    note: reward?.note ?? null,
    rated_at: reward === null ? null : toIso(reward.ratedAt),
    discounted_reward: standing.discountedReward,
    normalised_reward: standing.normalisedReward,
    state: standing.state,
    batch_id: standing.batchId,
    version: standing.version,
    reason: standing.reason,
    can: isHeld || state !== 'finished' ? [] : reward === null ? ['set'] : ['change', 'withdraw'],
    history: ports.rewards
      .history(id)
      .map(({ value, raterId, note, at }) => ({ reward: value, rater_id: raterId, note, at: toIso(at) })),
  });
}

const toIso = (at: number): string => new Date(at).toISOString();

function findInteraction(
  ports: RatingPorts,
  { sessionId, interactionId: id }: RatingTarget,
): Result<Interaction, Refusal> {
  // Another dialect's id of an answer leads to the same answer; `-0` is how a client may call the first choice.
  const found =
    ports.interactions.find(interactionId(id)) ?? ports.interactions.find(toInteractionId(id.replace(/-0$/, '')));
  if (found !== null && (sessionId === null || found.sessionId === sessionId)) return ok(found);
  const kind = sessionId === null ? 'not-found' : 'interaction-not-found';
  const where = sessionId === null ? '' : ` in session ${sessionId}`;
  return err(refusal(kind, `Interaction ${id} not found${where}.`, 'interaction_id'));
}

function findTarget(ports: RatingPorts, request: RewardRequest): Result<Interaction, Refusal> {
  const { interactions } = ports;
  const { sessionId } = request;
  const id = request.interactionId ?? (sessionId === null ? null : interactions.findLastFinished(sessionId));
  if (id === null) {
    return sessionId === null
      ? err(
          refusal('bad-body', 'interaction_id is required with the admin key, which has no session.', 'interaction_id'),
        )
      : err(
          refusal('no-interactions', 'No interactions in session: none has finished yet, so there is nothing to rate.'),
        );
  }
  const found = findInteraction(ports, { sessionId, interactionId: id });
  if (!found.ok) return found;
  const target = found.value;
  if (target.state !== 'finished') {
    const advice = target.state === 'running' ? 'Wait until it is finished.' : 'Only a finished answer can be rated.';
    return err(
      refusal('interaction-not-finished', `Interaction ${target.id} is ${target.state}. ${advice}`, 'interaction_id'),
    );
  }
  return ok(target);
}

function explainHold(
  ports: RatingPorts,
  { id, sessionId }: Interaction,
  standing: RatingStanding,
  verb: 'set' | 'changed' | 'withdrawn',
): Refusal | null {
  // Also when a batch that was set aside has given it back: who took the session must find it unchanged.
  const isTaken = typeof ports.sessions.find(sessionId)?.takenAt === 'number';
  const sentence = holdSentence(standing) ?? (isTaken ? 'is with the trainer outside that took its session' : null);
  if (sentence === null) return null;
  const message =
    verb === 'set'
      ? `The answer ${id} ${sentence} and can no longer be rated.`
      : `The rating of ${id} ${sentence} and can no longer be ${verb}.`;
  return refusal('rating-held', message);
}

/** Dropped only because nobody had rated it yet. */
const isReopened = ({ state, batchId, reason }: RatingStanding): boolean =>
  state === 'dropped' && batchId === null && reason === NOT_RATED;

function holdSentence(standing: RatingStanding): string | null {
  const { state, batchId, version, reason } = standing;
  switch (state) {
    case 'unrated':
    case 'waiting':
      return null;
    case 'in-batch':
      return `is in batch ${batchId}`;
    case 'trained':
      return `was trained into version ${version} with batch ${batchId}`;
    case 'dropped':
      return isReopened(standing) ? null : `was dropped (${reason})${batchId === null ? '' : ` with batch ${batchId}`}`;
  }
}
