import { Button, CopyButton, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { formatCount } from '../../components/number-format';
import { prettyJson } from '../../components/pretty-json';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { BadLineFacts } from './bad-line';
import bad from './bad-lines.module.css';
import classes from './detail.module.css';
import { DetailBody } from './detail-body';
import { rowQuery } from './queries';
import { type DetailTab, useTrajectoriesStore } from './store';

interface Props {
  readonly fileId: string;
  readonly index: number;
  readonly title?: string;
  readonly buttons?: ReactNode;
}

/** One row whole: facts, version strip, and its text, segments or JSON. */
export function DetailPane({ fileId, index, title, buttons }: Props) {
  const text = useText().trajectories;
  const words = useProblemWords();
  const { data: row, error, isPlaceholderData, refetch } = useQuery(rowQuery(useClients(), fileId, index));
  return (
    <section
      className={classes.pane}
      aria-label={title ?? text.detail}
      aria-busy={isPlaceholderData}
      data-testid="trajectory-detail"
      data-stale={isPlaceholderData || undefined}
    >
      {error !== null && (
        <p className={classes.problem} role="alert">
          {text.rowFailed(words(problemOf(error)))}{' '}
          <Button size="compact-xs" onClick={() => void refetch()}>
            {text.again}
          </Button>
        </p>
      )}
      {row === undefined && error === null && <p className={classes.quiet}>{text.loadingRow}</p>}
      {row === null && <p className={classes.quiet}>{text.nothingSelected}</p>}
      {row?.record === null && <BadLine row={row} />}
      {row != null && row.record !== null && (
        <>
          <header className={classes.header}>
            <h2 className={classes.title}>
              {title !== undefined && <span className={classes.titleWord}>{title}</span>}
              {String(row.record.task_id)} <span className={classes.sample}>#{row.record.sample_idx}</span>
            </h2>
            <TabSwitch />
            <span className={classes.buttons}>
              <CopyBoth row={row} />
              {buttons}
            </span>
          </header>
          <DetailBody row={row} record={row.record} />
        </>
      )}
    </section>
  );
}

function BadLine({ row }: { readonly row: TrajectoryRow }) {
  const text = useText().trajectories;
  return (
    <div className={bad.one} data-testid="bad-line-detail">
      <h2 className={bad.title}>{text.bad(row.file, formatCount(row.line))}</h2>
      <BadLineFacts row={row} />
    </div>
  );
}

function TabSwitch() {
  const text = useText().trajectories;
  const tab = useTrajectoriesStore((state) => state.tab);
  return (
    <SegmentedControl
      size="xs"
      value={tab}
      data-testid="detail-tabs"
      // The control only offers the three values below.
      onChange={(value) => useTrajectoriesStore.setState({ tab: value as DetailTab })}
      data={(['text', 'segments', 'json'] as const).map((value) => ({ value, label: text.tabs[value] }))}
    />
  );
}

function CopyBoth({ row }: { readonly row: TrajectoryRow }) {
  const text = useText().trajectories;
  const tab = useTrajectoriesStore((state) => state.tab);
  const value = tab === 'json' ? prettyJson(row.record) : (row.record?.completion ?? '');
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Button size="compact-xs" data-testid="detail-copy" onClick={copy}>
          {copied ? text.copied : tab === 'json' ? text.copyJson : text.copyCompletion}
        </Button>
      )}
    </CopyButton>
  );
}
