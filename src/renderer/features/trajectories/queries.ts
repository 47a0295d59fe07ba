import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Clients } from '../../data/clients';
import { unwrap } from '../../data/query-client';
import { queryKeys } from '../../data/query-keys';

/** Rows per request: about three screens of a tall window. */
export const PAGE_SIZE = 100;
// A long scroll leaves hundreds of pages behind; they are cheap to read again.
const gcTime = 60_000;

export const rowsPageQuery = ({ gateway }: Clients, fileId: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.trajectories, fileId, 'page', page],
    queryFn: async ({ signal }) =>
      unwrap(await gateway.trajectoryRows(fileId, { offset: page * PAGE_SIZE, limit: PAGE_SIZE, summary: 1 }, signal)),
    gcTime,
  });

/** So many are listed; whoever has more has another trouble than single lines. */
const MOST_BAD_LINES = 200;

export const badLinesQuery = ({ gateway }: Clients, fileId: string) =>
  queryOptions({
    queryKey: [...queryKeys.trajectories, fileId, 'bad-lines'],
    queryFn: async ({ signal }) =>
      unwrap(await gateway.trajectoryRows(fileId, { offset: 0, limit: MOST_BAD_LINES, bad: 1 }, signal)),
    gcTime,
  });

/** One row whole, with its texts and token arrays; null when the dump has become shorter. */
export const rowQuery = ({ gateway }: Clients, fileId: string, index: number) =>
  queryOptions({
    queryKey: [...queryKeys.trajectories, fileId, 'row', index],
    queryFn: async ({ signal }) =>
      unwrap(await gateway.trajectoryRows(fileId, { offset: index, limit: 1 }, signal)).rows[0] ?? null,
    placeholderData: keepPreviousData,
    gcTime,
  });
