import { Button, Checkbox, CopyButton, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { ProcessView } from '../../../shared/ipc/contract';
import { formatCount } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { useText } from '../../i18n/text';
import { tellingLines } from './log-lines';
import { logQuery } from './queries';
import classes from './runs.module.css';
import { useRunsStore } from './store';

/** Pixels from the end within which a reader still counts as being at the end. */
const endSlack = 24;

/** The last lines of engine or trainer; stays at the end until a person scrolls up. */
export function LogPane() {
  const { runs: text } = useText();
  const clients = useClients();
  const { log, following, everyLine } = useRunsStore();
  const { data: all, error } = useQuery(logQuery(clients, log));
  // Only the trainer repeats its settings, at every start of either side.
  const lines = useMemo(
    () => (all === undefined || everyLine || log !== 'trainer' ? all : tellingLines(all)),
    [all, everyLine, log],
  );
  const scroller = useRef<HTMLPreElement>(null);
  const newest = lines?.[lines.length - 1];

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines and another log move the end
  useEffect(() => {
    if (following && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [following, log, newest, lines?.length]);

  function handleScroll(): void {
    const pane = scroller.current;
    if (pane === null) return;
    const isAtEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < endSlack;
    if (isAtEnd !== following) useRunsStore.setState({ following: isAtEnd });
  }

  return (
    <section className={classes.section} aria-label={text.logs.title}>
      <header className={classes.logHead}>
        <h2 className={classes.sectionTitle}>{text.logs.title}</h2>
        <SegmentedControl
          size="xs"
          value={log}
          data-testid="log-switch"
          // The control only offers the two names below.
          onChange={(value) => useRunsStore.setState({ log: value as ProcessView['name'], following: true })}
          data={[
            { value: 'engine', label: text.logs.engine },
            { value: 'trainer', label: text.logs.trainer },
          ]}
        />
        <Checkbox
          size="xs"
          label={text.logs.follow}
          checked={following}
          onChange={({ currentTarget }) => useRunsStore.setState({ following: currentTarget.checked })}
        />
        {log === 'trainer' && (
          <Checkbox
            size="xs"
            label={text.logs.everyLine}
            checked={everyLine}
            data-testid="log-every-line"
            onChange={({ currentTarget }) => useRunsStore.setState({ everyLine: currentTarget.checked })}
          />
        )}
        <span className={classes.logButtons}>
          <CopyButton value={(lines ?? []).join('\n')} timeout={1500}>
            {({ copied, copy }) => (
              <Button size="compact-xs" onClick={copy} disabled={lines === undefined || lines.length === 0}>
                {copied ? text.logs.copied : text.logs.copy}
              </Button>
            )}
          </CopyButton>
          <Button size="compact-xs" onClick={() => void clients.desktop.invoke('path-show', { what: 'logs' })}>
            {text.logs.folder}
          </Button>
        </span>
      </header>
      {error !== null && (
        <p role="alert" className={classes.failure}>
          {text.failed(error.message)}
        </p>
      )}
      <pre
        ref={scroller}
        className={classes.log}
        data-testid="log-pane"
        // Scrollable text must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container without focus cannot be read by keyboard
        tabIndex={0}
        onScroll={handleScroll}
      >
        {lines === undefined ? text.waiting : lines.length === 0 ? text.logs.empty : lines.join('\n')}
      </pre>
      {lines !== undefined && lines.length > 0 && (
        <p className={classes.detail}>{text.logs.lines(formatCount(lines.length))}</p>
      )}
    </section>
  );
}
