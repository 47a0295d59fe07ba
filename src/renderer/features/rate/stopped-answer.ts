import type { QueryClient } from '@tanstack/react-query';
import type { InteractionView } from '../../../shared/wire/rl';
import type { Clients } from '../../data/clients';
import { queryKeys } from '../../data/query-keys';
import { type LiveAnswer, useLiveStore } from './live-store';
import { sessionQuery } from './queries';

interface Ports {
  readonly clients: Clients;
  readonly queryClient: QueryClient;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const pollMs = 100;
/** a request that was on its way when it was stopped may show a moment later */
const quietPolls = 3;
const mostPolls = 50;

/** Interactions of a session that this window knows of; one that shows later is a new one. */
export function knownInteractions(queryClient: QueryClient, sessionId: string | null): ReadonlySet<string> {
  const read = queryClient.getQueryData<{ readonly interactions: readonly InteractionView[] }>([
    ...queryKeys.session,
    sessionId,
  ]);
  const seen = useLiveStore.getState().answers.flatMap(({ interactionId }) => interactionId ?? []);
  return new Set([...(read?.interactions ?? []).map(({ interaction_id }) => interaction_id), ...seen]);
}

/** What the gateway has of an answer that was stopped before this window saw a token of it; null: not one token. */
export async function findStopped(
  { clients, queryClient, pause }: Ports,
  { sessionId, interactionId }: Pick<LiveAnswer, 'sessionId' | 'interactionId'>,
  earlier: ReadonlySet<string>,
): Promise<InteractionView | null> {
  if (sessionId === null) return null;
  const never = new AbortController().signal;
  let quiet = 0;
  let newest: InteractionView | null = null;
  for (let poll = 0; poll < mostPolls && quiet < quietPolls; poll += 1) {
    if (poll > 0) await pause(pollMs, never);
    const read = await clients.gateway.session(sessionId);
    if (!read.ok) continue;
    const own = read.value.interactions.filter(({ interaction_id: id }) => id === interactionId || !earlier.has(id));
    const spoken = own.find(({ state, completion_tokens }) => state !== 'running' && completion_tokens > 0);
    if (spoken !== undefined) {
      queryClient.setQueryData(sessionQuery(clients, sessionId).queryKey, read.value);
      return spoken;
    }
    newest = own.find(({ state }) => state === 'running') ?? null;
    quiet = newest === null ? quiet + 1 : 0;
  }
  return newest;
}
