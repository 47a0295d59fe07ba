import { useSettings } from '../../data/shared-queries';
import { type Answer, type Block, isRatable } from './answer';
import { draftKeys, useDraftStore } from './drafts';
import { planEnd } from './end-plan';
import { type PendingRating, type Stars, useRatingStore } from './rating-store';
import { useRateServices } from './services';

export interface Scoring {
  readonly canRate: boolean;
  readonly canWithdraw: boolean;
  readonly pending: PendingRating | undefined;
  readonly rate: (stars: Stars) => void;
  readonly withdraw: () => void;
  readonly discard: () => void;
  readonly sendAgain: () => void;
}

/** Scoring of one answer: the same rules for keys, buttons and retries. */
export function useScoring(block: Block | undefined, answer: Answer | undefined): Scoring {
  const { rater } = useRateServices();
  const { endSessionOnRating } = useSettings();
  const id = answer?.interactionId ?? '';
  const pending = useRatingStore((state) => state.pending[id]);
  const note = useDraftStore(({ texts }) => texts[draftKeys.note(id)] ?? '');
  // The gateway refuses ratings of a session that a trainer outside has taken.
  const canRate = answer !== undefined && isRatable(answer) && block?.fate !== 'taken';
  const canWithdraw = canRate && (answer.reward !== null || pending?.state === 'saving');
  return {
    canRate,
    canWithdraw,
    pending,
    rate(stars) {
      if (!canRate || block === undefined) return;
      void rater.rate({ interactionId: id, stars, note, end: planEnd(block, answer, endSessionOnRating) });
    },
    withdraw() {
      if (canWithdraw) void rater.rate({ interactionId: id, stars: null, note, end: null });
    },
    discard: () => rater.discard(id),
    sendAgain() {
      if (pending !== undefined) void rater.rate(pending);
    },
  };
}
