import { interactionId } from '../../../shared/domain/ids';
import type { SessionFacts, TurnFacts } from '../../../shared/domain/turn-facts';

/** An ended session with γ 1, linear; override what the test is about. */
export function aSession(over: Partial<SessionFacts> = {}): SessionFacts {
  return {
    sessionId: 's',
    groupId: 'g',
    state: 'ended',
    endReason: 'client',
    turnDiscount: 1,
    discountMode: 'linear',
    unratedPolicy: 'hold',
    isExternal: false,
    ...over,
  };
}

/** A finished, unrated answer `i<ordinal>` that continues none. */
export function aTurn(ordinal: number, over: Partial<TurnFacts> = {}): TurnFacts {
  const id = interactionId(`i${ordinal}`);
  return {
    interactionId: id,
    ordinal,
    parentId: null,
    state: 'finished',
    distorted: false,
    temperature: 1,
    outputTokens: 5,
    untrainable: null,
    isReplaced: false,
    isUndelivered: false,
    requestKey: null,
    requestId: id,
    createdAt: ordinal,
    reward: null,
    closed: null,
    ...over,
  };
}

/** The id of turn `ordinal`, to continue from. */
export const continues = (ordinal: number) => ({ parentId: interactionId(`i${ordinal}`) });
