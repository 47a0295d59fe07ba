import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TrajectoryFile } from '../../shared/wire/trajectory-files';
import { type Clients, useClients } from './clients';
import { unwrap } from './query-client';
import { queryKeys } from './query-keys';

const indexingPollMs = 500;

/** Opened dumps, the live one first; read again and again only while lines are still being found. */
export const trajectoryFilesQuery = ({ gateway }: Clients) =>
  queryOptions({
    queryKey: [...queryKeys.trajectories, 'files'],
    queryFn: async ({ signal }) => liveFirst(unwrap(await gateway.trajectoryFiles(signal)).files),
    refetchInterval: ({ state }) => (state.data?.some(({ indexed }) => !indexed) ? indexingPollMs : false),
  });

const liveFirst = (files: readonly TrajectoryFile[]): TrajectoryFile[] => [
  ...files.filter(({ kind }) => kind === 'live'),
  ...files.filter(({ kind }) => kind !== 'live'),
];

/** Statistics of one dump, computed by the gateway. */
export const dumpStatisticsQuery = ({ gateway }: Clients, fileId: string) =>
  queryOptions({
    queryKey: [...queryKeys.trajectories, fileId, 'statistics'],
    queryFn: async ({ signal, client }) => {
      const statistics = unwrap(await gateway.trajectoryStatistics(fileId, signal));
      // Only counting parses every line, so only now does the list of sources know the bad ones.
      void client.invalidateQueries({ queryKey: [...queryKeys.trajectories, 'files'] });
      return statistics;
    },
  });

/** Asks the desktop for a folder, a file or the sample; resolves to null when the dialog was cancelled. */
export function useOpenTrajectories() {
  const { desktop } = useClients();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (kind: 'file' | 'folder' | 'sample') => {
      const reply = await desktop.invoke('trajectories-open', { kind });
      if (reply === null) return null;
      if (!reply.ok) throw new Error(reply.message);
      await client.invalidateQueries({ queryKey: [...queryKeys.trajectories, 'files'] });
      return reply.file;
    },
  });
}
