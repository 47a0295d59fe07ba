import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { formatCount } from '../../components/number-format';
import { versionRange } from '../../components/version-colors';
import { VirtualTable } from '../../components/virtual-table';
import { useClients } from '../../data/clients';
import { dumpStatisticsQuery } from '../../data/trajectory-queries';
import { useText } from '../../i18n/text';
import { ComparePane } from './compare-pane';
import { DetailPane } from './detail-pane';
import { markMatches } from './mark-matches';
import { Overview, rewardLimitOf } from './overview';
import { PinButtons } from './pin-buttons';
import { SourceList } from './source-list';
import { selectRow, useTrajectoriesStore } from './store';
import { TableFoot } from './table-foot';
import classes from './trajectories.module.css';
import { TABLE_MIN_WIDTH, tableColumns, trajectoryCells } from './trajectory-cells';
import { useBrowserActions } from './use-browser-actions';
import { useTrajectoryRows } from './use-trajectory-rows';

interface Props {
  readonly file: TrajectoryFile;
  readonly files: readonly TrajectoryFile[];
}

/** One dump: its overview, its table and the selected row; or the pinned and the selected row side by side. */
export function SourceBrowser({ file, files }: Props) {
  const text = useText().trajectories;
  const { selected, pinned, comparing, mark } = useTrajectoriesStore();
  const [sight, setSight] = useState({ first: 0, last: 40 });
  const onRange = useCallback((first: number, last: number) => setSight({ first, last }), []);
  const rows = useTrajectoryRows(file.id, sight.first, sight.last, file.records + file.bad_lines);
  const { data: statistics } = useQuery(dumpStatisticsQuery(useClients(), file.id));
  const detail = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  useBrowserActions({ fileId: file.id, rows, detail, table });

  const range = versionRange([
    ...(statistics?.by_version.map(({ version }) => version) ?? []),
    ...rows.loaded.map(({ record }) => record?.tail_version ?? -1),
    ...rows.loaded.map(({ record }) => record?.head_version ?? -1),
  ]);
  const rewardLimit = rewardLimitOf(statistics);
  if (comparing && pinned !== null) {
    return <ComparePane pinned={pinned} selected={{ fileId: file.id, index: selected }} range={range} />;
  }
  return (
    <div className={classes.page}>
      <aside className={classes.side}>
        <SourceList files={files} currentId={file.id} />
        <Overview fileId={file.id} range={range} mark={mark} />
      </aside>
      <div className={classes.middle} ref={table}>
        {rows.failure !== null && (
          <p role="alert" className={classes.problem}>
            {text.rowsFailed(rows.failure)}{' '}
            <Button size="compact-xs" onClick={rows.retry}>
              {text.again}
            </Button>
          </p>
        )}
        <div className={classes.table}>
          <VirtualTable
            label={text.table}
            columns={tableColumns(text)}
            minWidth={TABLE_MIN_WIDTH}
            count={rows.total}
            selected={Math.min(selected, rows.total - 1)}
            onSelect={selectRow}
            onRange={onRange}
            listKey={file.id}
            rowTestId="trajectory-row"
            cells={(index) => {
              const row = rows.rowAt(index);
              return row === undefined ? null : trajectoryCells(row, text, range, rewardLimit);
            }}
            rowState={(index) => {
              const row = rows.rowAt(index);
              return {
                bad: row?.record === null,
                dimmed: mark !== null && row !== undefined && !markMatches(mark, row),
                pinned: pinned?.fileId === file.id && pinned.index === index,
              };
            }}
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
      <div className={classes.detail} ref={detail} tabIndex={-1}>
        <DetailPane
          fileId={file.id}
          index={selected}
          range={range}
          buttons={<PinButtons place={{ fileId: file.id, index: selected }} />}
        />
      </div>
    </div>
  );
}
