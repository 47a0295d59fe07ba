import { create } from 'zustand';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';

export type DetailTab = 'text' | 'segments' | 'json';

/** Which rows are set off from the others in the table. */
export type Mark =
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'rewards'; readonly from: number; readonly to: number; readonly closed: boolean };

export interface RowPlace {
  readonly fileId: string;
  readonly index: number;
}

interface TrajectoriesStore {
  /** null: the first source of the list, which is the live dump */
  readonly fileId: string | null;
  readonly selected: number;
  readonly pinned: RowPlace | null;
  readonly comparing: boolean;
  readonly mark: Mark | null;
  /** the first marked row is to be found and selected */
  readonly seeking: boolean;
  readonly tab: DetailTab;
  readonly promptShown: boolean;
  /** oldest and newest version of the rows read so far: mixed rows reach past the head versions of the statistics */
  readonly seenVersions: readonly [oldest: number, newest: number] | null;
  /** what the last search for a row found nothing of */
  readonly notice: { readonly kind: 'group' | 'mark'; readonly scanned: number } | null;
}

/** What a person is doing on the Trajectories screen; the data itself lives in react-query. */
export const useTrajectoriesStore = create<TrajectoriesStore>(() => ({
  fileId: null,
  selected: 0,
  pinned: null,
  comparing: false,
  mark: null,
  seeking: false,
  tab: 'text',
  promptShown: false,
  seenVersions: null,
  notice: null,
}));

export function openSource(fileId: string, mark: Mark | null = null): void {
  useTrajectoriesStore.setState({
    fileId,
    selected: 0,
    comparing: false,
    mark,
    seeking: mark !== null,
    notice: null,
    seenVersions: null,
  });
}

export function selectRow(selected: number): void {
  useTrajectoriesStore.setState({ selected, notice: null });
}

export function toggleMark(mark: Mark): void {
  useTrajectoriesStore.setState(({ mark: old }) => {
    const isSame = old !== null && JSON.stringify(old) === JSON.stringify(mark);
    return { mark: isSame ? null : mark, seeking: !isSame, notice: null };
  });
}

export const samePlace = (a: RowPlace, b: RowPlace): boolean => a.fileId === b.fileId && a.index === b.index;

export function togglePin(place: RowPlace): void {
  useTrajectoriesStore.setState(({ pinned }) => ({
    pinned: pinned !== null && samePlace(pinned, place) ? null : place,
  }));
}

/** Widens the span of versions that the colours are stretched over; never narrows it while a source is shown. */
export function noteVersions(rows: readonly TrajectoryRow[]): void {
  const { seenVersions } = useTrajectoriesStore.getState();
  let [oldest, newest] = seenVersions ?? [Number.POSITIVE_INFINITY, -1];
  for (const { record } of rows) {
    if (record === null) continue;
    if (record.head_version >= 0) oldest = Math.min(oldest, record.head_version);
    newest = Math.max(newest, record.tail_version);
  }
  if (newest < 0 || (oldest === seenVersions?.[0] && newest === seenVersions[1])) return;
  useTrajectoriesStore.setState({ seenVersions: [Math.min(oldest, newest), newest] });
}
