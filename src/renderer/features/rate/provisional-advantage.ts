import type { Baseline } from '../../../shared/wire/trainer';

export interface WaitingRating {
  readonly interaction_id: string;
  readonly session_id: string;
  readonly reward: number;
}

export interface AdvantageSources {
  readonly interactionId: string;
  readonly baseline: Baseline;
  readonly batchSize: number;
  readonly waiting: readonly WaitingRating[];
  /** of all waiting ratings, listed or not */
  readonly waitingCount: number;
  /** true when each rating of the session is an episode of its own (γ = 0) */
  readonly isSingleEpisode: (sessionId: string) => boolean;
}

/**
 * Advantage under the leave-one-out baseline if exactly the waiting ratings made the batch: reward − mean of the others.
 *
 * (r − mean)·S/(S − 1) of the trainer's `batch_loo` is the same number. Null whenever this window cannot know it:
 * another baseline, ratings that are not listed, more waiting than one batch takes, or episodes of several turns.
 */
export function provisionalAdvantage(sources: AdvantageSources): { advantage: number; others: number } | null {
  const { interactionId, baseline, batchSize, waiting, waitingCount, isSingleEpisode } = sources;
  const own = waiting.find(({ interaction_id }) => interaction_id === interactionId);
  if (own === undefined || baseline !== 'batch_loo' || waiting.length !== waitingCount) return null;
  if (waiting.length < 2 || waiting.length > batchSize) return null;
  if (!waiting.every(({ session_id }) => isSingleEpisode(session_id))) return null;
  const others = waiting.filter((rating) => rating !== own);
  const mean = others.reduce((sum, { reward }) => sum + reward, 0) / others.length;
  return { advantage: own.reward - mean, others: others.length };
}
