import { Button } from '@mantine/core';
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { TrajectoryFile, TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { formatCount } from '../../components/number-format';
import { VirtualTable } from '../../components/virtual-table';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { markMatches } from './mark-matches';
import { selectRow, useTrajectoriesStore } from './store';
import { TableFoot } from './table-foot';
import classes from './trajectories.module.css';
import { TABLE_MIN_WIDTH, tableColumns, trajectoryCells } from './trajectory-cells';
import { useBrowserActions } from './use-browser-actions';
import { useTrajectoryRows } from './use-trajectory-rows';

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
  useBrowserActions({ fileId: file.id, rows, detail, table });
  const columns = useMemo(() => tableColumns(text), [text]);
  const cells = useCallback((row: TrajectoryRow) => trajectoryCells(row, text, rewardLimit), [text, rewardLimit]);
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
      <div className={classes.table}>
        <VirtualTable
          label={text.table}
          columns={columns}
          minWidth={TABLE_MIN_WIDTH}
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
          })}
        />
      </div>
      <TableFoot
        range={text.shortRows(
          formatCount(Math.min(sight.first + 1, rows.total)),
          formatCount(Math.min(sight.last + 1, rows.total)),
          formatCount(rows.total),
        )}
      />
    </div>
  );
}
