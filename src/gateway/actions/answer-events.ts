import type { AnswerEvent, AnswerHead } from '../../shared/domain/answer';
import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { Refusal } from '../platform/refusal';

/** What happens to a running answer, in order: deltas and ends of choices, then exactly one `end` or `refused`. */
export type RunEvent = AnswerEvent | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An admitted request. It runs to its end whether or not anybody reads the events. */
export interface RunningAnswer {
  readonly head: AnswerHead;
  /** may be read once by each client; a late reader hears everything from the beginning */
  readonly events: AsyncIterable<RunEvent>;
}

/** Interaction id of a choice: the first one's is the id that the client receives. */
export function choiceId(id: InteractionId, index: number): InteractionId {
  return index === 0 ? id : interactionId(`${id}-${index}`);
}
