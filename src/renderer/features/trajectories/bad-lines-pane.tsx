import { Button, CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { formatCount } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { BadLineFacts } from './bad-line';
import classes from './bad-lines.module.css';
import detail from './detail.module.css';
import { badLinesQuery } from './queries';
import { closeBadLines, selectBadLine, useTrajectoriesStore } from './store';

/** Every bad line of a source with its place, its reason and its beginning; a click shows it among its neighbours. */
export function BadLinesPane({ fileId }: { readonly fileId: string }) {
  const text = useText().trajectories;
  const words = useProblemWords();
  const selected = useTrajectoriesStore((state) => state.selected);
  const { data, error, refetch } = useQuery(badLinesQuery(useClients(), fileId));
  const first = data?.rows[0]?.index;
  useEffect(() => {
    // The table shows the first of them at once; which one it is then is the person's choice.
    if (first !== undefined) selectBadLine(first);
  }, [first]);
  return (
    <section className={detail.pane} aria-label={text.badLinesTitle} data-testid="bad-lines-pane">
      <header className={classes.head}>
        <h2 className={classes.title}>
          {data === undefined ? text.badLinesTitle : text.badLines(formatCount(data.total))}
        </h2>
        <CloseButton size="sm" aria-label={text.closeBadLines} onClick={closeBadLines} />
      </header>
      <p className={detail.note}>{text.badLinesNote}</p>
      {error !== null && (
        <p className={detail.problem} role="alert">
          {text.rowsFailed(words(problemOf(error)))}{' '}
          <Button size="compact-xs" onClick={() => void refetch()}>
            {text.again}
          </Button>
        </p>
      )}
      {data === undefined && error === null && <p className={detail.quiet}>{text.loadingBadLines}</p>}
      <ol className={classes.list}>
        {data?.rows.map((row) => (
          <li key={row.index}>
            <Entry row={row} isSelected={row.index === selected} />
          </li>
        ))}
      </ol>
      {data !== undefined && data.total > data.rows.length && (
        <p className={detail.quiet}>{text.badLinesCapped(formatCount(data.rows.length), formatCount(data.total))}</p>
      )}
    </section>
  );
}

function Entry({ row, isSelected }: { readonly row: TrajectoryRow; readonly isSelected: boolean }) {
  const text = useText().trajectories;
  return (
    <button
      type="button"
      className={classes.entry}
      aria-current={isSelected}
      title={text.showBadLine}
      data-testid="bad-line"
      onClick={() => selectBadLine(row.index)}
    >
      <span className={classes.place}>{text.badPlace(row.file, formatCount(row.line))}</span>
      <BadLineFacts row={row} />
    </button>
  );
}
