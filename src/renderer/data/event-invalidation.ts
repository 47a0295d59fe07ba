import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { GatewayEvent } from '../../shared/wire/events';
import { queryKeys } from './query-keys';

const sessionKeys = (event: GatewayEvent): QueryKey[] => [
  queryKeys.sessions,
  event.session_id === undefined ? queryKeys.session : [...queryKeys.session, event.session_id],
];

/** Which reads an event makes stale. */
export function staleKeys(event: GatewayEvent): QueryKey[] {
  switch (event.kind) {
    case 'session-start':
    case 'interaction-end':
      return [...sessionKeys(event), queryKeys.status];
    case 'session-end':
    case 'reward-set':
      return [...sessionKeys(event), queryKeys.status, queryKeys.receipts];
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
