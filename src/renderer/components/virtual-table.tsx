// biome-ignore-all lint/a11y/useSemanticElements: a <table> cannot lay out absolutely placed rows; the ARIA grid roles say the same
// biome-ignore-all lint/a11y/useFocusableInteractive: focus stays on the grid, whose active descendant is the selected row
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import classes from './virtual-table.module.css';

export interface Column {
  readonly id: string;
  readonly header: string;
  /** a CSS grid track, e.g. `64px` or `minmax(48px, 1fr)` */
  readonly width: string;
  readonly align?: 'start' | 'end';
}

interface Props {
  readonly label: string;
  readonly columns: readonly Column[];
  /** pixels below which the table scrolls sideways instead of squeezing its columns */
  readonly minWidth: number;
  readonly count: number;
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  /** one cell per column, or a single one for a row that spans them all; null while the row is on the way */
  readonly cells: (index: number) => readonly ReactNode[] | null;
  /** marks carried as data attributes: for styling, tests and nothing else */
  readonly rowState?: (index: number) => {
    readonly dimmed?: boolean;
    readonly bad?: boolean;
    readonly pinned?: boolean;
  };
  readonly onRange: (first: number, last: number) => void;
  /** a change scrolls back to the selected row: another source, another list */
  readonly listKey: string;
  readonly rowTestId?: string;
}

const rowHeight = 26;
const headHeight = 26;
/** Rows kept ready beyond the window; whoever fetches rows should fetch these too. */
export const OVERSCAN_ROWS = 12;

/** A table of any length in a window of fixed-height rows: only what is in sight exists, and new rows never move it. */
export function VirtualTable(props: Props) {
  const { label, columns, minWidth, count, selected, onSelect, onRange, listKey } = props;
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
  });
  const items = virtualizer.getVirtualItems();
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  useEffect(() => onRange(first, last), [first, last, onRange]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts at its own selection, whatever was in sight before
  useEffect(() => {
    virtualizer.scrollToIndex(selected, { align: 'auto' });
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
          {items.map(({ index, start }) => (
            <Row
              key={index}
              {...props}
              index={index}
              start={start - headHeight}
              template={template}
              id={`${baseId}-${index}`}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps extends Props {
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly template: string;
}

function Row({ id, index, start, template, columns, selected, onSelect, cells, rowState, rowTestId }: RowProps) {
  const content = cells(index);
  const state = rowState?.(index);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid owns the keys; focus stays on it and the row is its active descendant
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={index === selected}
      className={classes.row}
      data-testid={rowTestId}
      data-index={index}
      data-dimmed={state?.dimmed || undefined}
      data-bad={state?.bad || undefined}
      data-pinned={state?.pinned || undefined}
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
}
