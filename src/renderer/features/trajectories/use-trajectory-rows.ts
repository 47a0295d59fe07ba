import { useQueries, useQuery } from '@tanstack/react-query';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { OVERSCAN_ROWS } from '../../components/virtual-table';
import { useClients } from '../../data/clients';
import { type GatewayProblem, problemOf } from '../../data/gateway-problem';
import { PAGE_SIZE, rowsPageQuery } from './queries';

export interface TrajectoryRows {
  readonly total: number;
  /** undefined while its page is on the way */
  readonly rowAt: (index: number) => TrajectoryRow | undefined;
  readonly loaded: readonly TrajectoryRow[];
  /** the gateway's sentence when a page in sight could not be read */
  readonly failure: GatewayProblem | null;
  readonly retry: () => void;
}

/**
 * The rows in sight, page by page; the first page is always among them, because it tells the total.
 *
 * @param known - number of rows the list of sources knows of, until a page says more
 */
export function useTrajectoryRows(fileId: string, first: number, last: number, known: number): TrajectoryRows {
  const clients = useClients();
  // The list of sources may be a moment behind (or ahead, while lines are counted); a page knows for certain.
  const end = useQuery(rowsPageQuery(clients, fileId, 0)).data?.total ?? known;
  const pages = pagesInSight(first - OVERSCAN_ROWS, last + OVERSCAN_ROWS, end);
  const results = useQueries({ queries: pages.map((page) => rowsPageQuery(clients, fileId, page)) });
  const byPage = new Map(pages.map((page, index) => [page, results[index]]));
  const newest = results.reduce<(typeof results)[number] | null>(
    (best, result) => (result.data !== undefined && result.dataUpdatedAt > (best?.dataUpdatedAt ?? 0) ? result : best),
    null,
  );
  const failed = results.find(({ isError }) => isError);
  return {
    total: Math.max(newest?.data?.total ?? 0, newest === null ? known : 0),
    rowAt: (index) => {
      const page = Math.floor(index / PAGE_SIZE);
      return byPage.get(page)?.data?.rows[index - page * PAGE_SIZE];
    },
    loaded: results.flatMap(({ data }) => data?.rows ?? []),
    failure: failed === undefined ? null : problemOf(failed.error),
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}

/** Page numbers that cover rows `first` to `last`, page 0 first; none beyond what is known to exist. */
export function pagesInSight(first: number, last: number, known: number): number[] {
  const end = Math.max(Math.min(last, known - 1), 0);
  const pages = [0];
  for (let page = Math.floor(Math.max(first, 0) / PAGE_SIZE); page <= Math.floor(end / PAGE_SIZE); page += 1) {
    if (page > 0) pages.push(page);
  }
  return pages;
}
