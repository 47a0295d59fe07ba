import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';

export interface RowSearch {
  readonly from: number;
  readonly step: 1 | -1;
  readonly total: number;
  readonly pageSize: number;
  /** rows looked at before giving up, so that a key never reads a whole dump */
  readonly limit: number;
  readonly loadPage: (page: number) => Promise<readonly TrajectoryRow[]>;
  readonly matches: (row: TrajectoryRow) => boolean;
}

export interface FoundRow {
  readonly index: number | null;
  readonly scanned: number;
}

/** The nearest matching row after (or before) `from`, reading page by page; never wraps around. */
export async function findRow(search: RowSearch): Promise<FoundRow> {
  const { from, step, total, pageSize, limit, loadPage, matches } = search;
  let scanned = 0;
  let loadedPage = -1;
  let rows: readonly TrajectoryRow[] = [];
  for (let index = from + step; index >= 0 && index < total && scanned < limit; index += step) {
    const page = Math.floor(index / pageSize);
    if (page !== loadedPage) {
      rows = await loadPage(page);
      loadedPage = page;
    }
    const row = rows[index - page * pageSize];
    scanned += 1;
    if (row !== undefined && matches(row)) return { index, scanned };
  }
  return { index: null, scanned };
}
