import { useQuery } from '@tanstack/react-query';
import { memo, useMemo, useRef } from 'react';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { newestOf, versionRange } from '../../components/version-colors';
import { useClients } from '../../data/clients';
import { useStatus } from '../../data/shared-queries';
import { dumpStatisticsQuery } from '../../data/trajectory-queries';
import type { VersionRange } from '../../theme/version-ramp';
import { ComparePane } from './compare-pane';
import { DetailPane } from './detail-pane';
import { Overview, rewardLimitOf } from './overview';
import { PinButtons } from './pin-buttons';
import { SourceList } from './source-list';
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
  const seen = useTrajectoriesStore((state) => state.seenVersions);
  const status = useStatus().data;
  // The live dump is of this run, so its colours are the run's; any other dump counts its own versions.
  const runNewest = file.kind === 'live' ? newestOf(status) : 0;
  const detail = useRef<HTMLDivElement>(null);
  const range = useMemo(
    () => versionRange([runNewest, ...(statistics?.by_version.map(({ version }) => version) ?? []), ...(seen ?? [])]),
    [runNewest, statistics, seen],
  );
  const isComparing = useTrajectoriesStore(({ comparing, pinned }) => comparing && pinned !== null);
  return (
    <div className={classes.page} data-comparing={isComparing || undefined}>
      <Side file={file} files={files} range={range} />
      <TrajectoryTable file={file} range={range} rewardLimit={rewardLimitOf(statistics)} detail={detail} />
      {isComparing ? (
        <Compare fileId={file.id} range={range} />
      ) : (
        <div className={classes.detail} ref={detail} tabIndex={-1}>
          <SelectedDetail fileId={file.id} range={range} />
        </div>
      )}
    </div>
  );
}

// Each pane listens to the part of the store it shows, so that moving the selection draws the row and nothing else.
const Side = memo(function Side({ file, files, range }: Props & { readonly range: VersionRange }) {
  const mark = useTrajectoriesStore((state) => state.mark);
  return (
    <aside className={classes.side}>
      <SourceList files={files} currentId={file.id} />
      <Overview fileId={file.id} range={range} mark={mark} />
    </aside>
  );
});

interface PaneProps {
  readonly fileId: string;
  readonly range: VersionRange;
}

const SelectedDetail = memo(function SelectedDetail({ fileId, range }: PaneProps) {
  const index = useTrajectoriesStore((state) => state.selected);
  return <DetailPane fileId={fileId} index={index} range={range} buttons={<PinButtons place={{ fileId, index }} />} />;
});

function Compare({ fileId, range }: PaneProps) {
  const { pinned, selected } = useTrajectoriesStore();
  if (pinned === null) return null;
  return <ComparePane pinned={pinned} selected={{ fileId, index: selected }} range={range} />;
}
