import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProcessView } from '../../../shared/ipc/contract';
import { type Clients, useClients } from '../../data/clients';
import { unwrap } from '../../data/query-client';
import { queryKeys } from '../../data/query-keys';

const logPollMs = 1000;

export const versionsQuery = ({ gateway }: Clients) =>
  queryOptions({
    queryKey: queryKeys.versions,
    queryFn: async ({ signal }) => unwrap(await gateway.versions(signal)).versions,
  });

export const metricsQuery = ({ gateway }: Clients) =>
  queryOptions({
    queryKey: queryKeys.metrics,
    queryFn: async ({ signal }) => unwrap(await gateway.trainingMetrics(signal)).batches,
  });

/** The last lines of a child's log; there is no event for a new line, so a shown pane asks every second. */
export const logQuery = ({ desktop }: Clients, name: ProcessView['name']) =>
  queryOptions({
    queryKey: [...queryKeys.processes, 'log', name],
    queryFn: async () => (await desktop.invoke('process-log', { name })).lines,
    refetchInterval: logPollMs,
    staleTime: 0,
    gcTime: 0,
  });

/** Tries a batch that was set aside again, or leaves it; afterwards its ratings stand elsewhere. */
export function useDecideBatch() {
  const { gateway } = useClients();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ batchId, decision }: { batchId: number; decision: 'retry' | 'dismiss' }) =>
      unwrap(await gateway.decideBatch(batchId, decision)),
    onSettled: () =>
      Promise.all([queryKeys.status, queryKeys.receipts].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
