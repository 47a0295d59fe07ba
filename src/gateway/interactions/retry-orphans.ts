import type { InteractionId } from '../../shared/domain/ids';
import type { TurnFacts } from '../../shared/domain/turn-facts';

/** What tells a retry from a conversation. */
export interface RetryFacts {
  readonly interactionId: InteractionId;
  /** answers to one request (n > 1) share it: they are choices, not retries of each other */
  readonly requestId: string;
  readonly parentId: InteractionId | null;
  /** equal for equal input messages; null = not comparable */
  readonly inputKey: string | null;
  /** milliseconds since the epoch */
  readonly createdAt: number;
}

/**
 * Answers that a client's retry left behind, by AReaL's `drop_retry_orphans`.
 *
 * Among requests with equal input: if some were continued, those that were not are orphans; if none was, all but the
 * newest are (ties: the one that arrived last stays). A continued request is never an orphan.
 *
 * @param turns - finished answers of one session in arrival order: a retry that failed replaces nothing
 * @remarks Several wanted answers to one prompt, asked for one by one, look the same; so AReaL has this off by default.
 */
export function retryOrphans(turns: readonly RetryFacts[]): Set<InteractionId> {
  const parents = new Set(turns.map((turn) => turn.parentId));
  const inputs = new Map<string, Map<string, Request>>();
  for (const turn of turns) {
    if (turn.inputKey === null) continue;
    const requests = inputs.get(turn.inputKey) ?? new Map<string, Request>();
    inputs.set(turn.inputKey, requests);
    const request = requests.get(turn.requestId) ?? { ids: [], createdAt: turn.createdAt, isContinued: false };
    request.ids.push(turn.interactionId);
    request.isContinued ||= parents.has(turn.interactionId);
    requests.set(turn.requestId, request);
  }
  return new Set([...inputs.values()].flatMap((requests) => orphansOf([...requests.values()])));
}

/**
 * Orphans that were seen to be orphans when they happened: replaced by a retry, or never delivered and left behind.
 *
 * An undelivered answer that somebody rated is none: a person may stop an answer and judge what there was of it.
 *
 * @param turns - all turns of one session in arrival order
 */
export function knownOrphans(turns: readonly TurnFacts[]): Set<InteractionId> {
  const parents = new Set(turns.map((turn) => turn.parentId));
  const finished = turns.filter((turn) => turn.state === 'finished');
  const leftBehind = retryOrphans(finished.map((turn) => ({ ...turn, inputKey: turn.requestKey })));
  const orphans = finished.filter(
    ({ interactionId, isReplaced, isUndelivered, reward }) =>
      (isReplaced && !parents.has(interactionId)) ||
      (isUndelivered && reward === null && leftBehind.has(interactionId)),
  );
  return new Set(orphans.map((turn) => turn.interactionId));
}

interface Request {
  readonly ids: InteractionId[];
  readonly createdAt: number;
  isContinued: boolean;
}

function orphansOf(requests: readonly Request[]): InteractionId[] {
  const [first] = requests;
  if (first === undefined) return [];
  const newest = requests.reduce((best, request) => (request.createdAt >= best.createdAt ? request : best), first);
  const isAnyContinued = requests.some((request) => request.isContinued);
  return requests
    .filter((request) => (isAnyContinued ? !request.isContinued : request !== newest))
    .flatMap((request) => request.ids);
}
