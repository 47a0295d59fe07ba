import type { InteractionId } from './ids';
import type { InteractionState } from './interaction';
import type { DiscountMode, SessionEndReason, UnratedPolicy } from './session';

/** What the rules need to know of one interaction; no tokens, so that thousands can be judged at once. */
export interface TurnFacts {
  readonly interactionId: InteractionId;
  /** arrival order within the session, ascending in every list of turns */
  readonly ordinal: number;
  /** the turn it continues; null for a root. A parent precedes its children */
  readonly parentId: InteractionId | null;
  readonly state: InteractionState;
  readonly distorted: boolean;
  readonly temperature: number;
  readonly outputTokens: number;
  /** why its evidence is not sound; null = sound */
  readonly untrainable: string | null;
  /** a retry of the same request replaced it */
  readonly isReplaced: boolean;
  /** the client went away before the end of the answer was sent */
  readonly isUndelivered: boolean;
  /** equal for equal requests of one session; null = not comparable */
  readonly requestKey: string | null;
  /** answers to one request (n > 1) share it */
  readonly requestId: string;
  /** milliseconds since the epoch */
  readonly createdAt: number;
  /** the value a rater or script set; null = none */
  readonly reward: number | null;
  /** a batch holds it, or it was dropped: it can never be trained again; null = open */
  readonly closed: 'batch' | 'dropped' | null;
}

/** What they need to know of its session. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly groupId: string;
  readonly state: 'open' | 'ended';
  /** null while open */
  readonly endReason: SessionEndReason | null;
  /** γ in [0, 1] */
  readonly turnDiscount: number;
  readonly discountMode: DiscountMode;
  readonly unratedPolicy: UnratedPolicy;
  /** a trainer outside waits for it or took it: it is never trained here */
  readonly isExternal: boolean;
}
