import { create } from 'zustand';
import { showSource, useSourceStore } from '../../components/navigation/source-store';

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
  readonly selected: number;
  readonly pinned: RowPlace | null;
  readonly comparing: boolean;
  readonly mark: Mark | null;
  /** the list of bad lines stands where the detail of the selected row does */
  readonly badLinesShown: boolean;
  /** the first marked row is to be found and selected */
  readonly seeking: boolean;
  readonly tab: DetailTab;
  readonly promptShown: boolean;
  /** what the last search for a row found nothing of */
  readonly notice: { readonly kind: 'group' | 'mark'; readonly scanned: number } | null;
}

/** What a person is doing on the Trajectories screen with the source that is shown; the data itself lives in react-query. */
export const useTrajectoriesStore = create<TrajectoriesStore>(() => ({
  selected: 0,
  pinned: null,
  comparing: false,
  mark: null,
  badLinesShown: false,
  seeking: false,
  tab: 'text',
  promptShown: false,
  notice: null,
}));

export function openSource(fileId: string, mark: Mark | null = null): void {
  showSource(fileId);
  beginSource(mark);
}

function beginSource(mark: Mark | null): void {
  const seeking = mark !== null;
  useTrajectoriesStore.setState({ selected: 0, comparing: false, badLinesShown: false, mark, seeking, notice: null });
}

// Another screen may choose the source too: what was selected and marked belonged to the one before.
useSourceStore.subscribe((now, before) => {
  if (now.fileId !== before.fileId) beginSource(null);
});

export function selectRow(selected: number): void {
  useTrajectoriesStore.setState({ selected, badLinesShown: false, notice: null });
}

/** Shows the bad lines of a source, in the place of the selected row. */
export function openBadLines(fileId: string): void {
  showSource(fileId);
  useTrajectoriesStore.setState({ badLinesShown: true, comparing: false });
}

/** Goes to one of the listed bad lines in the table; the list stays, for the next one. */
export function selectBadLine(selected: number): void {
  useTrajectoriesStore.setState({ selected, notice: null });
}

export function closeBadLines(): void {
  useTrajectoriesStore.setState({ badLinesShown: false });
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
