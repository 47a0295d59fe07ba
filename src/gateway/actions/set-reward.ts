import { type InteractionId, interactionId, type RaterId, type SessionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import { err, ok, type Result } from '../../shared/lib/result';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { type Refusal, refusal } from '../platform/refusal';
import type { SessionManager } from '../sessions/session-manager';
import type { Database } from '../store/database';
import type { InteractionStore } from '../store/interactions';
import type { RatingStanding, RewardStore } from '../store/rewards';

export interface RatingPorts {
  readonly manager: SessionManager;
  readonly database: Database;
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
  readonly clock: Clock;
  readonly events: EventHub;
}

/** A number for one interaction. */
export interface RewardRequest {
  /** the session whose key was used; null = the admin key, which may name any interaction */
  readonly sessionId: SessionId | null;
  /** null = the last finished interaction of the session */
  readonly interactionId: string | null;
  /** finite */
  readonly value: number;
  readonly raterId: RaterId | null;
  readonly note: string | null;
}

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
    const held = explainHold(id, rewards.standing(id), 'changed');
    if (held !== null) return err(held);
    rewards.set({ interactionId: id, value, raterId: rater, note, ratedAt: clock.now() });
    const outcome = previous === null ? 'set' : 'changed';
    return ok({ interactionId: id, outcome, previousReward: previous?.value ?? null });
  });
  if (result.ok) events.publish({ kind: 'reward-set', interaction_id: result.value.interactionId });
  return result;
}

/** Takes a rating back, unless a batch holds it. @returns the value that was withdrawn, null when there was none */
export function withdrawReward(ports: RatingPorts, id: InteractionId): Result<number | null, Refusal> {
  const { database, interactions, rewards, clock, events } = ports;
  const result = database.transaction((): Result<number | null, Refusal> => {
    if (interactions.find(id) === null) return err(refusal('not-found', `Interaction ${id} not found.`));
    const held = explainHold(id, rewards.standing(id), 'withdrawn');
    if (held !== null) return err(held);
    const previous = rewards.find(id);
    if (previous !== null) rewards.withdraw(id, clock.now());
    return ok(previous?.value ?? null);
  });
  if (result.ok) events.publish({ kind: 'reward-set', interaction_id: id });
  return result;
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
  const target = interactions.find(interactionId(id));
  if (target === null || (sessionId !== null && target.sessionId !== sessionId)) {
    const kind = sessionId === null ? 'not-found' : 'interaction-not-found';
    const where = sessionId === null ? '' : ` in session ${sessionId}`;
    return err(refusal(kind, `Interaction ${id} not found${where}.`, 'interaction_id'));
  }
  if (target.state !== 'finished') {
    const advice = target.state === 'running' ? 'Wait until it is finished.' : 'Only a finished answer can be rated.';
    return err(
      refusal('interaction-not-finished', `Interaction ${id} is ${target.state}. ${advice}`, 'interaction_id'),
    );
  }
  return ok(target);
}

function explainHold(id: InteractionId, standing: RatingStanding, verb: 'changed' | 'withdrawn'): Refusal | null {
  const sentence = holdSentence(standing);
  return sentence === null
    ? null
    : refusal('rating-held', `The rating of ${id} ${sentence} and can no longer be ${verb}.`);
}

function holdSentence({ state, batchId, version, reason }: RatingStanding): string | null {
  switch (state) {
    case 'unrated':
    case 'waiting':
      return null;
    case 'in-batch':
      return `is in batch ${batchId}`;
    case 'trained':
      return `was trained into version ${version} with batch ${batchId}`;
    case 'dropped':
      return `was dropped (${reason})${batchId === null ? '' : ` with batch ${batchId}`}`;
  }
}
