import type { InteractionId } from './ids';
import type { InteractionState } from './interaction';

/** What the rules need to know of one interaction; no tokens, so that thousands can be judged at once. */
export interface TurnFacts {
  readonly interactionId: InteractionId;
  /** arrival order within the session, ascending in every list of turns */
  readonly ordinal: number;
  readonly state: InteractionState;
  readonly distorted: boolean;
  readonly temperature: number;
  readonly outputTokens: number;
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
  /** γ in [0, 1] */
  readonly turnDiscount: number;
}
