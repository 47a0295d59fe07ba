import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { openScreen } from '../../components/navigation/navigation-store';
import { sourceName } from '../../components/navigation/source-name';
import { showSource, useSourceStore } from '../../components/navigation/source-store';
import { formatQuantity } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { useStatus } from '../../data/shared-queries';
import { dumpStatisticsQuery, trajectoryFilesQuery, useOpenTrajectories } from '../../data/trajectory-queries';
import { useProblemWords, useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { CountsLine } from './counts-line';
import { GroupRewards } from './group-rewards';
import classes from './groups.module.css';
import { RewardHistogram, StalenessHistogram } from './histograms';
import { RewardByVersion } from './reward-by-version';

/** Rewards over versions and groups, and how old the data was: of the live run or of an opened dump. */
export function GroupsPage() {
  const text = useText().groups;
  const { data: files, error, refetch } = useQuery(trajectoryFilesQuery(useClients()));
  const chosen = useSourceStore((state) => state.fileId);
  if (files === undefined) {
    return error === null ? (
      <p className={classes.waiting}>{text.waiting}</p>
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  }
  const file = files.find(({ id }) => id === chosen) ?? files[0];
  return (
    <div className={classes.page}>
      {file === undefined ? <Empty isLive={false} /> : <SourceCharts key={file.id} file={file} files={files} />}
    </div>
  );
}

function SourceCharts({ file, files }: { readonly file: TrajectoryFile; readonly files: readonly TrajectoryFile[] }) {
  const text = useText().groups;
  const { data, error, refetch } = useQuery(dumpStatisticsQuery(useClients(), file.id));
  const live = files.find(({ kind }) => kind === 'live');
  return (
    <>
      <header className={classes.head}>
        <Select
          aria-label={text.source}
          data-testid="groups-source"
          className={classes.source}
          allowDeselect={false}
          value={file.id}
          data={files.map((each) => ({ value: each.id, label: sourceName(each, text.live) }))}
          onChange={showSource}
        />
        {file.kind !== 'live' && live !== undefined && (
          <Button size="compact-xs" data-testid="groups-back-to-live" onClick={() => showSource(live.id)}>
            {text.backToLive}
          </Button>
        )}
        {data !== undefined && data.trajectories + file.bad_lines > 0 && <CountsLine file={file} statistics={data} />}
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <p className={classes.waiting}>{text.waiting}</p>}
      {data?.overall.count === 0 && <Empty isLive={file.kind === 'live'} />}
      {data !== undefined && data.overall.count > 0 && (
        <div className={classes.charts}>
          <RewardByVersion fileId={file.id} versions={data.by_version} />
          <GroupRewards fileId={file.id} isLive={file.kind === 'live'} groups={data.groups} />
          <RewardHistogram fileId={file.id} statistics={data} />
          <StalenessHistogram fileId={file.id} statistics={data} />
        </div>
      )}
    </>
  );
}

function Empty({ isLive }: { readonly isLive: boolean }) {
  const text = useText().groups;
  const batch = useStatus().data?.batch;
  const reasonWords = useReasonWords();
  const open = useOpenTrajectories();
  const openSample = () => open.mutate('sample', { onSuccess: (file) => file !== null && showSource(file.id) });
  return (
    <div className={classes.empty} data-testid="groups-empty">
      <h2 className={classes.emptyTitle}>{isLive ? text.emptyTitle : text.emptySource}</h2>
      <p className={classes.emptyBody}>
        {isLive ? text.emptyLiveBody(formatQuantity(batch?.size), formatQuantity(batch?.filled)) : text.emptySourceBody}
      </p>
      <div className={classes.emptyButtons}>
        {isLive && (
          <Button variant="filled" onClick={() => openScreen('rate')}>
            {text.goRate}
          </Button>
        )}
        <Button loading={open.isPending} data-testid="groups-open-sample" onClick={openSample}>
          {text.goSample}
        </Button>
      </div>
      {open.isError && (
        <p role="alert" className={classes.failure}>
          {text.openFailed(reasonWords(open.error.message))}
        </p>
      )}
    </div>
  );
}

function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const text = useText().groups;
  const words = useProblemWords();
  return (
    <p role="alert" className={classes.failure}>
      {text.failed(words(problemOf(error)))}{' '}
      <Button size="compact-xs" onClick={onRetry}>
        {text.again}
      </Button>
    </p>
  );
}
