import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Settings, settingsSchema } from '../../shared/ipc/contract';
import { type Clients, useClients } from './clients';
import { unwrap } from './query-client';
import { queryKeys } from './query-keys';

/** `/rl/status`; events keep it fresh, the interval is the net below them and the way back from a lost gateway. */
export const statusQuery = ({ gateway }: Clients) =>
  queryOptions({
    queryKey: queryKeys.status,
    queryFn: async ({ signal }) => unwrap(await gateway.status(signal)),
    retry: false,
    refetchInterval: (query) => (query.state.status === 'error' ? 1000 : 5000),
  });

export const receiptsQuery = ({ gateway }: Clients, limit = 500) =>
  queryOptions({
    queryKey: [...queryKeys.receipts, limit],
    queryFn: async ({ signal }) => unwrap(await gateway.receipts(limit, signal)),
  });

export const settingsQuery = ({ desktop }: Clients) =>
  queryOptions({
    queryKey: queryKeys.settings,
    queryFn: () => desktop.invoke('settings-read', undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const processesQuery = ({ desktop }: Clients) =>
  queryOptions({
    queryKey: queryKeys.processes,
    queryFn: () => desktop.invoke('processes-list', undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const appInfoQuery = ({ desktop }: Clients) =>
  queryOptions({
    queryKey: queryKeys.appInfo,
    queryFn: () => desktop.invoke('app-info', undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Where the gateway is, and what the desktop says is wrong outside the gateway's reach. */
export const addressQuery = ({ desktop }: Clients) =>
  queryOptions({
    queryKey: queryKeys.address,
    queryFn: () => desktop.invoke('gateway-address', undefined),
    refetchInterval: (query) => (query.state.data?.url == null ? 1000 : false),
  });

export const useStatus = () => useQuery(statusQuery(useClients()));
export const useProcesses = () => useQuery(processesQuery(useClients()));

const defaultSettings = settingsSchema.parse({});

/** Settings as stored, or the defaults until they are read. */
export function useSettings(): Settings {
  return useQuery(settingsQuery(useClients())).data ?? defaultSettings;
}

/** Writes some settings; the cache takes what the desktop says is stored. */
export function useWriteSettings() {
  const { desktop } = useClients();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Partial<Settings>) => desktop.invoke('settings-write', change),
    onSuccess: ({ settings }) => client.setQueryData(queryKeys.settings, settings),
  });
}

export function useRestartProcess() {
  const { desktop } = useClients();
  return useMutation({ mutationFn: (name: 'engine' | 'trainer') => desktop.invoke('process-restart', { name }) });
}
