import { type Answer, answersOf, type Block, isRunning } from './answer';
import type { EndPlan } from './rating-store';

/**
 * What a rating of this answer ends: in a side-by-side round all its sessions once all its answers are rated, in a
 * chat the answer's session at once if the person's settings say so. `interactionIds` are those still to be confirmed.
 */
export function planEnd(block: Block, answer: Answer, endSessionOnRating: boolean): EndPlan | null {
  if (block.ended || answer.interactionId === null || answer.sessionId === null) return null;
  if (block.kind === 'chat') {
    // Another answer of this session still runs: ending now would cut it off.
    if (answersOf(block).some(isRunning)) return null;
    return endSessionOnRating ? { sessionIds: [answer.sessionId], interactionIds: [answer.interactionId] } : null;
  }
  const answers = answersOf(block);
  // An answer that failed or still runs keeps the round open: its column cannot be judged yet.
  if (answers.some(({ phase, interactionId }) => phase !== 'finished' || interactionId === null)) return null;
  return {
    sessionIds: answers.flatMap(({ sessionId }) => sessionId ?? []),
    interactionIds: answers.filter(({ reward }) => reward === null).flatMap(({ interactionId }) => interactionId ?? []),
  };
}
