import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { TrajectoryFile, TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { formatCount } from '../../components/number-format';
import { VirtualTable } from '../../components/virtual-table';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { markMatches } from './mark-matches';
import { selectRow, useTrajectoriesStore } from './store';
import { alikeFields, type ColumnId, chooseColumns, leastWidth, tableColumns } from './table-columns';
import { TableFoot } from './table-foot';
import classes from './trajectories.module.css';
import { repeatsOf, trajectoryCells } from './trajectory-cells';
import { useBrowserActions } from './use-browser-actions';
import { useTrajectoryRows } from './use-trajectory-rows';

/** As the style sheet of the whole window draws it; there is one once the rows do not fit. */
const SCROLLBAR_WIDTH = 10;

interface Props {
  readonly file: TrajectoryFile;
  readonly rewardLimit: number;
  readonly detail: RefObject<HTMLElement | null>;
}

/** The rows of a dump; owns what is in sight and the keys that move through it. */
export function TrajectoryTable({ file, rewardLimit, detail }: Props) {
  const text = useText().trajectories;
  const words = useProblemWords();
  const { selected, pinned, mark } = useTrajectoriesStore();
  const [sight, setSight] = useState({ first: 0, last: 40 });
  const onRange = useCallback((first: number, last: number) => setSight({ first, last }), []);
  const rows = useTrajectoryRows(file.id, sight.first, sight.last, file.records);
  const table = useRef<HTMLDivElement>(null);
  useBrowserActions({ fileId: file.id, badLines: file.bad_lines, rows, detail, table });
  const { ref: frame, width } = useElementSize<HTMLDivElement>();
  const alike = alikeFields(file, rows.loaded);
  const chosen = chooseColumns(alike, width === 0 ? 0 : width - SCROLLBAR_WIDTH).join(' ');
  // Rows are drawn again only when other columns are chosen, not with every choice that comes to the same.
  const ids = useMemo(() => chosen.split(' ') as ColumnId[], [chosen]); // joined above
  const columns = useMemo(() => tableColumns(ids, text), [ids, text]);
  const cells = useCallback(
    (row: TrajectoryRow) => trajectoryCells(row, ids, text, rewardLimit),
    [ids, text, rewardLimit],
  );
  return (
    <div className={classes.middle} ref={table}>
      {rows.failure !== null && (
        <p role="alert" className={classes.problem}>
          {text.rowsFailed(words(rows.failure))}{' '}
          <Button size="compact-xs" onClick={rows.retry}>
            {text.again}
          </Button>
        </p>
      )}
      <div className={classes.table} ref={frame}>
        <VirtualTable
          label={text.table}
          columns={columns}
          minWidth={leastWidth(ids)}
          count={rows.total}
          selected={Math.min(selected, rows.total - 1)}
          onSelect={selectRow}
          onRange={onRange}
          listKey={file.id}
          rowTestId="trajectory-row"
          itemAt={rows.rowAt}
          cells={cells}
          rowState={(row, index) => ({
            bad: row?.record === null,
            dimmed: mark !== null && row !== undefined && !markMatches(mark, row),
            pinned: pinned?.fileId === file.id && pinned.index === index,
            repeats: repeatsOf(row, rows.rowAt(index - 1)),
          })}
        />
      </div>
      <TableFoot
        range={text.shortRows(
          formatCount(Math.min(sight.first + 1, rows.total)),
          formatCount(Math.min(sight.last + 1, rows.total)),
          formatCount(rows.total),
        )}
        // What is only known of the rows read so far is not said of every row.
        alike={file.common === undefined ? {} : alike}
      />
    </div>
  );
}
