// biome-ignore-all lint/a11y/useSemanticElements: a <table> cannot lay out absolutely placed rows; the ARIA grid roles say the same
// biome-ignore-all lint/a11y/useFocusableInteractive: focus stays on the grid, whose active descendant is the selected row
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode, useEffect, useId, useRef } from 'react';
import classes from './virtual-table.module.css';

export interface Column {
  readonly id: string;
  readonly header: string;
  /** a CSS grid track, e.g. `64px` or `minmax(48px, 1fr)` */
  readonly width: string;
  readonly align?: 'start' | 'end';
}

interface Props<Item> {
  readonly label: string;
  readonly columns: readonly Column[];
  /** pixels below which the table scrolls sideways instead of squeezing its columns */
  readonly minWidth: number;
  readonly count: number;
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  /** the row's datum; undefined while it is on the way. The same object as before means: nothing to draw again */
  readonly itemAt: (index: number) => Item | undefined;
  /** one cell per column, or a single one that spans them all; must keep its identity while it means the same */
  readonly cells: (item: Item) => readonly ReactNode[];
  /** carried as data attributes: for styling and tests */
  readonly rowState?: (item: Item | undefined, index: number) => RowState;
  readonly onRange: (first: number, last: number) => void;
  /** a change scrolls back to the selected row: another source, another list */
  readonly listKey: string;
  readonly rowTestId?: string;
}

export interface RowState {
  /** names of what the row says again after the row above it, with spaces between: a style may let them step back */
  readonly repeats?: string;
  readonly dimmed?: boolean;
  readonly bad?: boolean;
  readonly pinned?: boolean;
}

/** Kept with the style sheet: the gap between columns, and what a row is padded with on its two sides together. */
const columnGap = 8;
const rowPadding = 24;

/** Pixels that columns of these widths take. */
export const tableWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, rowPadding + columnGap * Math.max(widths.length - 1, 0));

const rowHeight = 26;
const headHeight = 26;
/** Rows kept ready beyond the window; whoever fetches rows should fetch these too. */
export const OVERSCAN_ROWS = 12;

/** A table of any length in a window of fixed-height rows: only what is in sight exists, and new rows never move it. */
export function VirtualTable<Item>(props: Props<Item>) {
  const { label, columns, minWidth, count, selected, onSelect, onRange, listKey, itemAt, cells, rowState } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin: headHeight,
    // A row brought into sight must clear the head that covers the top of the scroller.
    scrollPaddingStart: headHeight,
    // Drawing inside the scroll event would stop the scrolling itself; the overscan covers the frame in between.
    useFlushSync: false,
  });
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  useEffect(() => onRange(first, last), [first, last, onRange]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts at its own selection, whatever was in sight before
  useEffect(() => {
    // A row from elsewhere is shown with what is around it; a step or a page moves no more than it has to.
    const inSight = last - first;
    const isFar = selected < first - inSight || selected > last + inSight;
    virtualizer.scrollToIndex(selected, { align: isFar ? 'center' : 'auto' });
  }, [selected, listKey]);

  const template = columns.map(({ width }) => width).join(' ');
  function handleKeyDown(event: KeyboardEvent): void {
    const page = Math.max(Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1, 1);
    const step = { PageDown: page, PageUp: -page }[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    onSelect(Math.min(Math.max(selected + step, 0), count - 1));
  }

  return (
    <div
      ref={scroller}
      className={classes.scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={`${baseId}-${selected}`}
      tabIndex={0}
      onKeyDown={handleKeyDown}
    >
      <div
        className={classes.inner}
        // A custom property is not in the style type.
        style={{ '--table-min-width': `${minWidth}px` } as CSSProperties}
        role="presentation"
      >
        <div className={classes.head} role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {columns.map(({ id, header, align }) => (
            <span key={id} role="columnheader" className={classes.cell} data-align={align ?? 'start'}>
              {header}
            </span>
          ))}
        </div>
        <div className={classes.body} role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const item = itemAt(index);
            const state = rowState?.(item, index);
            return (
              <Row
                key={index}
                id={`${baseId}-${index}`}
                index={index}
                start={start - headHeight}
                template={template}
                columns={columns}
                item={item}
                // Row draws only what the same table gave it, so the item is of the type that cells takes.
                cells={cells as (item: unknown) => readonly ReactNode[]}
                isSelected={index === selected}
                isDimmed={state?.dimmed === true}
                isBad={state?.bad === true}
                isPinned={state?.pinned === true}
                repeats={state?.repeats}
                onSelect={onSelect}
                testId={props.rowTestId}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly template: string;
  readonly columns: readonly Column[];
  readonly item: unknown;
  readonly cells: (item: unknown) => readonly ReactNode[];
  readonly isSelected: boolean;
  readonly isDimmed: boolean;
  readonly isBad: boolean;
  readonly isPinned: boolean;
  readonly repeats: string | undefined;
  readonly onSelect: (index: number) => void;
  readonly testId: string | undefined;
}

/** Memoised: scrolling adds and drops rows, it does not draw the others again. */
const Row = memo(function Row(props: RowProps) {
  const { id, index, start, template, columns, item, cells, isSelected, onSelect, testId } = props;
  const content = item === undefined ? null : cells(item);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid owns the keys; focus stays on it and the row is its active descendant
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={classes.row}
      data-testid={testId}
      data-index={index}
      data-dimmed={props.isDimmed || undefined}
      data-bad={props.isBad || undefined}
      data-pinned={props.isPinned || undefined}
      data-repeats={props.repeats}
      style={{ transform: `translateY(${start}px)`, gridTemplateColumns: content?.length === 1 ? '1fr' : template }}
      onClick={() => onSelect(index)}
    >
      {content === null ? (
        <span role="gridcell" className={classes.waiting} />
      ) : (
        content.map((cell, at) => (
          <span
            // Cells are positional: their order is the columns' order.
            key={columns[at]?.id ?? at}
            role="gridcell"
            className={classes.cell}
            data-align={content.length === 1 ? 'start' : (columns[at]?.align ?? 'start')}
          >
            {cell}
          </span>
        ))
      )}
    </div>
  );
});
