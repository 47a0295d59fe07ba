import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { GatewayEvent } from '../../shared/wire/events';
import { sessionDetailSchema } from '../../shared/wire/rl';
import { queryKeys } from './query-keys';

/** Finds the session of an interaction among those read so far. */
export type SessionFinder = (interactionId: string) => string | undefined;

/** Which reads an event makes stale. */
export function staleKeys(event: GatewayEvent, findSession: SessionFinder): QueryKey[] {
  switch (event.kind) {
    case 'session-start':
    case 'interaction-end':
      return [...sessionKeys(event, findSession), queryKeys.status];
    case 'session-end':
    case 'reward-set':
      return [...sessionKeys(event, findSession), queryKeys.status, queryKeys.receipts];
    case 'batch-form':
    case 'batch-ack':
      return [queryKeys.status, queryKeys.receipts, queryKeys.sessions, queryKeys.session, queryKeys.metrics];
    case 'training-progress':
      return [queryKeys.status, queryKeys.metrics];
    case 'version-serve':
      return [queryKeys.status, queryKeys.receipts, queryKeys.session, queryKeys.versions, queryKeys.trajectories];
    case 'engine-change':
    case 'trainer-change':
    case 'trouble-change':
      return [queryKeys.status];
    case 'dump-append':
      return [queryKeys.trajectories];
  }
}

/** Only the session it happened in: a long conversation has many, and a rating must not read them all again. */
function sessionKeys(event: GatewayEvent, findSession: SessionFinder): QueryKey[] {
  const id = event.session_id ?? (event.interaction_id === undefined ? undefined : findSession(event.interaction_id));
  return id === undefined ? [queryKeys.sessions] : [queryKeys.sessions, [...queryKeys.session, id]];
}

/** Looks through the cached sessions; a session nobody has read has nothing to become stale. */
export function cachedSessionOf(client: QueryClient): SessionFinder {
  return (interactionId) => {
    for (const [key, data] of client.getQueriesData({ queryKey: queryKeys.session })) {
      const detail = sessionDetailSchema.safeParse(data);
      if (detail.success && detail.data.interactions.some(({ interaction_id }) => interaction_id === interactionId)) {
        return String(key[key.length - 1]);
      }
    }
    return undefined;
  };
}

/**
 * Collects stale keys and invalidates them together, so that a burst of events (progress, a batch of endings) is one
 * round of reads. `schedule` runs its argument a little later.
 */
export function createInvalidator(
  client: QueryClient,
  schedule: (run: () => void) => void,
): (keys: readonly QueryKey[]) => void {
  const pending = new Map<string, QueryKey>();
  return (keys) => {
    if (pending.size === 0 && keys.length > 0) {
      schedule(() => {
        const due = [...pending.values()];
        pending.clear();
        for (const queryKey of due) void client.invalidateQueries({ queryKey });
      });
    }
    for (const key of keys) pending.set(JSON.stringify(key), key);
  };
}
