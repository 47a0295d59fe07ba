import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { useProcesses, useStatus } from '../../data/shared-queries';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { BatchCard } from './batch-card';
import { EngineCard } from './engine-card';
import { LogPane } from './log-pane';
import { MetricsSection } from './metrics-section';
import { metricsQuery, versionsQuery } from './queries';
import classes from './runs.module.css';
import { SetAsideList } from './set-aside-list';
import { TrainerCard } from './trainer-card';
import { VersionsTable } from './versions-table';

/** Engine, trainer and batch now; metrics and versions so far; logs. */
export function RunsPage() {
  const clients = useClients();
  const { data: status } = useStatus();
  const { data: processes } = useProcesses();
  const metrics = useQuery(metricsQuery(clients));
  const versions = useQuery(versionsQuery(clients));
  const process = (name: 'engine' | 'trainer') => processes?.find((each) => each.name === name);
  return (
    <div className={classes.page}>
      <div className={classes.cards}>
        <EngineCard status={status} process={process('engine')} />
        <TrainerCard status={status} process={process('trainer')} />
        <BatchCard status={status} />
      </div>
      <SetAsideList batches={status?.set_aside ?? []} />
      {metrics.data !== undefined && <MetricsSection batches={metrics.data} />}
      <Failure query={metrics} />
      {versions.data !== undefined && (
        <VersionsTable versions={versions.data} servedVersion={status?.served_version ?? null} />
      )}
      <Failure query={versions} />
      <LogPane />
    </div>
  );
}

function Failure({ query }: { readonly query: { readonly error: unknown; readonly refetch: () => unknown } }) {
  const text = useText().runs;
  const words = useProblemWords();
  if (query.error === null) return null;
  return (
    <p role="alert" className={classes.failure}>
      {text.failed(words(problemOf(query.error)))}{' '}
      <Button size="compact-xs" onClick={() => void query.refetch()}>
        {text.again}
      </Button>
    </p>
  );
}
