import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { useActions } from '../../components/actions/use-actions';
import { useClients } from '../../data/clients';
import { useText } from '../../i18n/text';
import { findRow } from './find-row';
import { markMatches } from './mark-matches';
import { PAGE_SIZE, rowsPageQuery } from './queries';
import { groupKey } from './row-fields';
import { openBadLines, selectRow, togglePin, useTrajectoriesStore } from './store';
import type { TrajectoryRows } from './use-trajectory-rows';

interface Browser {
  readonly fileId: string;
  readonly badLines: number;
  readonly rows: TrajectoryRows;
  readonly detail: RefObject<HTMLElement | null>;
  readonly table: RefObject<HTMLElement | null>;
}

/** Ten pages: far enough for any group, short enough that a key never reads a whole dump. */
const searchLimit = 10 * PAGE_SIZE;

/** Keys of the Trajectories screen: one list feeds the keyboard, the palette and the help. */
export function useBrowserActions({ fileId, badLines, rows, detail, table }: Browser): void {
  const text = useText().trajectories.actions;
  const clients = useClients();
  const client = useQueryClient();
  const { selected, pinned, comparing, mark } = useTrajectoriesStore();
  const { total } = rows;
  const step = (by: number): void => {
    if (total > 0) selectRow(Math.min(Math.max(selected + by, 0), total - 1));
  };
  const loadPage = async (page: number): Promise<readonly TrajectoryRow[]> =>
    (await client.fetchQuery(rowsPageQuery(clients, fileId, page))).rows;

  async function seek(
    kind: 'group' | 'mark',
    direction: 1 | -1,
    matches: (row: TrajectoryRow) => boolean,
    from = selected,
  ) {
    const search = { from, step: direction, total, pageSize: PAGE_SIZE, limit: searchLimit };
    const found = await findRow({ ...search, loadPage, matches });
    // The person may have moved on while pages were read; then the answer is no longer to their question.
    if (useTrajectoriesStore.getState().selected !== selected) return;
    if (found.index === null) useTrajectoriesStore.setState({ notice: { kind, scanned: found.scanned } });
    else selectRow(found.index);
  }

  async function seekInGroup(direction: 1 | -1): Promise<void> {
    const page = Math.floor(selected / PAGE_SIZE);
    const row = rows.rowAt(selected) ?? (await loadPage(page))[selected - page * PAGE_SIZE];
    const key = row === undefined ? null : groupKey(row);
    if (key !== null) await seek('group', direction, (other) => groupKey(other) === key);
  }

  // A page that cannot be read shows its own error in the table; the key then simply finds nothing.
  const quietly = (search: Promise<void>): void => void search.catch(() => {});

  const { seeking } = useTrajectoriesStore();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one search per new mark, begun once the source's length is known
  useEffect(() => {
    if (!seeking || mark === null || total === 0) return;
    useTrajectoriesStore.setState({ seeking: false });
    quietly(seek('mark', 1, (row) => markMatches(mark, row), -1));
  }, [seeking, mark, total]);

  useActions('screen', [
    { id: 'next', label: text.next, keys: ['j', 'ArrowDown'], repeats: true, keyOnly: true, run: () => step(1) },
    { id: 'previous', label: text.previous, keys: ['k', 'ArrowUp'], repeats: true, keyOnly: true, run: () => step(-1) },
    { id: 'first', label: text.first, keys: ['g', 'Home'], run: () => selectRow(0) },
    { id: 'last', label: text.last, keys: ['G', 'End'], run: () => selectRow(Math.max(total - 1, 0)) },
    { id: 'open', label: text.open, keys: ['Enter'], keyOnly: true, run: () => detail.current?.focus() },
    { id: 'next-in-group', label: text.nextInGroup, keys: [']'], run: () => quietly(seekInGroup(1)) },
    { id: 'previous-in-group', label: text.previousInGroup, keys: ['['], run: () => quietly(seekInGroup(-1)) },
    {
      id: 'next-marked',
      label: text.nextMarked,
      keys: ['n'],
      enabled: mark !== null,
      run: () => mark !== null && quietly(seek('mark', 1, (row) => markMatches(mark, row))),
    },
    { id: 'bad-lines', label: text.badLines, enabled: badLines > 0, run: () => openBadLines(fileId) },
    { id: 'pin', label: text.pin, keys: ['p'], run: () => togglePin({ fileId, index: selected }) },
    {
      id: 'compare',
      label: text.compare,
      keys: ['c'],
      enabled: pinned !== null,
      run: () => useTrajectoriesStore.setState({ comparing: !comparing }),
    },
    {
      id: 'back',
      label: text.back,
      keys: ['Escape'],
      run: () => {
        useTrajectoriesStore.setState({ comparing: false, badLinesShown: false });
        table.current?.querySelector<HTMLElement>('[role="grid"]')?.focus();
      },
    },
  ]);
}
