import type { QueryClient } from '@tanstack/react-query';
import { starsToReward } from '../../../shared/domain/rating-scale';
import { settingsSchema } from '../../../shared/ipc/contract';
import type { Clients } from '../../data/clients';
import { cachedSessionOf } from '../../data/event-invalidation';
import { pauseFor } from '../../data/event-stream';
import type { GatewayProblem } from '../../data/gateway-problem';
import { queryKeys } from '../../data/query-keys';
import { settingsQuery } from '../../data/shared-queries';
import { type DraftWriter, draftKeys } from './drafts';
import {
  clearPending,
  type EndPlan,
  markEnding,
  type PendingRating,
  type Stars,
  setPending,
  useRatingStore,
  writeRating,
} from './rating-store';

const closingPauseMs = 100;
const mostTries = 30;

export interface RaterPorts {
  readonly clients: Clients;
  readonly queryClient: QueryClient;
  readonly drafts: DraftWriter;
}

export interface Choice {
  readonly interactionId: string;
  readonly stars: Stars | null;
  readonly note: string;
  readonly end: EndPlan | null;
}

/**
 * Sends ratings. A rating is written down before it is sent and crossed out after the gateway's 200, so a crash in
 * between leaves a visible unsaved rating, never a lost or a silent one. Ratings of one answer are sent in the order
 * of the keys pressed: a correction cannot be overtaken by what it corrects.
 */
export function createRater(ports: RaterPorts) {
  const queues = new Map<string, Promise<void>>();
  return {
    rate(choice: Choice): Promise<void> {
      const rating: PendingRating = { ...choice, state: 'saving', problem: null };
      setPending(rating);
      if (rating.end !== null && endsNow(rating, rating.end)) markEnding(rating.end.sessionIds);
      ports.drafts.write(draftKeys.rating(rating.interactionId), writeRating(rating), true);
      const before = queues.get(rating.interactionId) ?? Promise.resolve();
      const done = before.then(() => send(ports, rating));
      queues.set(rating.interactionId, done);
      return done;
    },
    /** The person gives up on an unsaved rating. */
    discard(interactionId: string): void {
      clearPending(interactionId);
      ports.drafts.write(draftKeys.rating(interactionId), '', true);
    },
    endSession(sessionId: string): Promise<void> {
      markEnding([sessionId]);
      return endSession(ports, sessionId);
    },
  };
}

export type Rater = ReturnType<typeof createRater>;

/** Whether this rating is the last one its plan waits for. */
function endsNow({ interactionId, stars }: PendingRating, plan: EndPlan): boolean {
  const { confirmed } = useRatingStore.getState();
  return stars !== null && plan.interactionIds.every((id) => id === interactionId || confirmed[id] != null);
}

async function send(ports: RaterPorts, rating: PendingRating): Promise<void> {
  const { interactionId, stars } = rating;
  const isNewest = (): boolean => useRatingStore.getState().pending[interactionId] === rating;
  if (!isNewest()) return; // corrected before it was sent
  const problem = await write(ports, rating);
  if (problem !== null) {
    if (isNewest()) setPending({ ...rating, state: 'failed', problem });
    return;
  }
  useRatingStore.setState(({ confirmed }) => ({ confirmed: { ...confirmed, [interactionId]: stars } }));
  if (isNewest()) {
    ports.drafts.write(draftKeys.rating(interactionId), '', true);
    await reread(ports.queryClient, interactionId);
    if (isNewest()) clearPending(interactionId);
  }
  await endWhenAllRated(ports, rating.end);
}

/** An answer that was just stopped is still being closed by the gateway; its score waits for that. */
async function write(ports: RaterPorts, rating: PendingRating): Promise<GatewayProblem | null> {
  const never = new AbortController().signal;
  for (let tries = 1; ; tries += 1) {
    const problem = await writeOnce(ports, rating);
    const isClosing = problem?.kind === 'refused' && problem.code === 'interaction_not_finished';
    if (!isClosing || tries === mostTries) return problem;
    await pauseFor(closingPauseMs, never);
  }
}

async function writeOnce({ clients, queryClient }: RaterPorts, rating: PendingRating): Promise<GatewayProblem | null> {
  const { interactionId, stars, note } = rating;
  if (stars === null) {
    const withdrawn = await clients.gateway.withdrawReward(interactionId);
    return withdrawn.ok ? null : withdrawn.error;
  }
  const settings = settingsSchema.parse(await queryClient.ensureQueryData(settingsQuery(clients)));
  const set = await clients.gateway.setReward({
    interaction_id: interactionId,
    reward: starsToReward(stars),
    rater_id: settings.raterId,
    ...(note === '' ? {} : { note }),
  });
  return set.ok ? null : set.error;
}

/** Read again before the mark of saving goes, so that the old score does not flash up in between. */
async function reread(queryClient: QueryClient, interactionId: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: queryKeys.status });
  void queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: [...queryKeys.session, cachedSessionOf(queryClient)(interactionId)] }),
    queryClient.invalidateQueries({ queryKey: queryKeys.receipts }),
  ]);
}

async function endWhenAllRated(ports: RaterPorts, plan: EndPlan | null): Promise<void> {
  if (plan === null) return;
  const { confirmed } = useRatingStore.getState();
  if (!plan.interactionIds.every((id) => confirmed[id] != null)) return;
  await Promise.all(plan.sessionIds.map((sessionId) => endSession(ports, sessionId)));
}

async function endSession({ clients, queryClient }: RaterPorts, sessionId: string): Promise<void> {
  const ended = await clients.gateway.endSession(sessionId);
  useRatingStore.setState(({ endProblems }) => {
    const { [sessionId]: _before, ...rest } = endProblems;
    return { endProblems: ended.ok ? rest : { ...rest, [sessionId]: ended.error } };
  });
  void queryClient.invalidateQueries({ queryKey: queryKeys.status });
  void queryClient.invalidateQueries({ queryKey: queryKeys.receipts });
  void queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
  await queryClient.invalidateQueries({ queryKey: [...queryKeys.session, sessionId] });
}
