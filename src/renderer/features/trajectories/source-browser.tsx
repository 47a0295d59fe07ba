import { useQuery } from '@tanstack/react-query';
import { memo, useRef } from 'react';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { useClients } from '../../data/clients';
import { dumpStatisticsQuery } from '../../data/trajectory-queries';
import { BadLinesPane } from './bad-lines-pane';
import { ComparePane } from './compare-pane';
import { DetailPane } from './detail-pane';
import { Overview, rewardLimitOf } from './overview';
import { PinButtons } from './pin-buttons';
import { SourceSide } from './source-list';
import { useTrajectoriesStore } from './store';
import classes from './trajectories.module.css';
import { TrajectoryTable } from './trajectory-table';

interface Props {
  readonly file: TrajectoryFile;
  readonly files: readonly TrajectoryFile[];
}

/** One dump: its overview, its table and the selected row; or the pinned and the selected row side by side. */
export function SourceBrowser({ file, files }: Props) {
  const { data: statistics } = useQuery(dumpStatisticsQuery(useClients(), file.id));
  const detail = useRef<HTMLDivElement>(null);
  const isComparing = useTrajectoriesStore(({ comparing, pinned }) => comparing && pinned !== null);
  const isListingBad = useTrajectoriesStore(({ badLinesShown }) => badLinesShown);
  return (
    <div className={classes.page} data-comparing={isComparing || undefined}>
      <Side file={file} files={files} />
      <TrajectoryTable file={file} rewardLimit={rewardLimitOf(statistics)} detail={detail} />
      {isComparing ? (
        <Compare fileId={file.id} />
      ) : (
        <div className={classes.detail} ref={detail} tabIndex={-1}>
          {isListingBad ? <BadLinesPane fileId={file.id} /> : <SelectedDetail fileId={file.id} />}
        </div>
      )}
    </div>
  );
}

// Each pane listens to the part of the store it shows, so that moving the selection draws the row and nothing else.
const Side = memo(function Side({ file, files }: Props) {
  const mark = useTrajectoriesStore((state) => state.mark);
  return (
    <SourceSide files={files} currentId={file.id}>
      <Overview fileId={file.id} mark={mark} />
    </SourceSide>
  );
});

interface PaneProps {
  readonly fileId: string;
}

const SelectedDetail = memo(function SelectedDetail({ fileId }: PaneProps) {
  const index = useTrajectoriesStore((state) => state.selected);
  return <DetailPane fileId={fileId} index={index} buttons={<PinButtons place={{ fileId, index }} />} />;
});

function Compare({ fileId }: PaneProps) {
  const { pinned, selected } = useTrajectoriesStore();
  if (pinned === null) return null;
  return <ComparePane pinned={pinned} selected={{ fileId, index: selected }} />;
}
