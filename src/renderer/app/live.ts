import type { QueryClient } from '@tanstack/react-query';
import type { ProcessView } from '../../shared/ipc/contract';
import type { Clients } from '../data/clients';
import { cachedSessionOf, createInvalidator, staleKeys } from '../data/event-invalidation';
import { pauseFor, runEventStream } from '../data/event-stream';
import { queryKeys } from '../data/query-keys';

/** Keeps the cache true: desktop events write into it, gateway events make its reads stale. Returns the stop. */
export function startLive({ desktop, gateway }: Clients, client: QueryClient): () => void {
  const invalidate = createInvalidator(client, (run) => setTimeout(run, 120));
  const findSession = cachedSessionOf(client);
  const abort = new AbortController();
  const stops = [
    desktop.subscribe('process-change', (process) => {
      client.setQueryData<ProcessView[]>(queryKeys.processes, (known) => [
        ...(known ?? []).filter(({ name }) => name !== process.name),
        process,
      ]);
      invalidate([queryKeys.status]);
    }),
    desktop.subscribe('settings-change', (settings) => {
      client.setQueryData(queryKeys.settings, settings);
      invalidate([queryKeys.status]);
    }),
    desktop.subscribe('studio-trouble', () => invalidate([queryKeys.address])),
  ];
  void runEventStream(
    {
      connect: (signal) => gateway.events(signal),
      onEvent: (event) => invalidate(staleKeys(event, findSession)),
      onOpen: () => invalidate([queryKeys.gateway]),
      onClose: () => invalidate([queryKeys.status]),
      pause: pauseFor,
    },
    abort.signal,
  );
  return () => {
    abort.abort();
    for (const stop of stops) stop();
  };
}
