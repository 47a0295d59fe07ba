import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProcessView } from '../../../shared/ipc/contract';
import { formatCount } from '../../components/number-format';
import { useRestartProcess } from '../../data/shared-queries';
import { useReasonWords } from '../../i18n/reason-words';
import { useLocale, useText } from '../../i18n/text';
import classes from './runs.module.css';
import { StateWord, type Tone } from './state-word';

const tones: Readonly<Record<ProcessView['state'], Tone>> = {
  stopped: 'neutral',
  starting: 'busy',
  ready: 'good',
  stopping: 'busy',
  failed: 'bad',
};

/** The child process behind a card: its state machine's word, and what to do when it failed. */
export function ProcessFacts({ process }: { readonly process: ProcessView }) {
  const text = useText().runs;
  const locale = useLocale();
  const reasonWords = useReasonWords();
  const since = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23' }).format(
    new Date(process.since),
  );
  return (
    <>
      <Fact name={text.facts.process}>
        <StateWord
          tone={tones[process.state]}
          word={text.processStates[process.state]}
          testId={`${process.name}-process`}
        />
        <span className={classes.quiet}>
          {process.pid !== null && (
            <>
              {' '}
              <span className={classes.whole}>{text.pid(String(process.pid))}</span>
            </>
          )}{' '}
          <span className={classes.whole}>
            {text.facts.since} {since}
          </span>
        </span>
      </Fact>
      {process.restarts > 0 && <Fact name={text.facts.restarts}>{formatCount(process.restarts)}</Fact>}
      {process.detail !== null && (
        <p className={process.state === 'failed' ? classes.failure : classes.detail}>{reasonWords(process.detail)}</p>
      )}
    </>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <dl className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </dl>
  );
}

/** Starts the child again; an intended stop, so it never counts as a crash. */
export function RestartButton({ process }: { readonly process: ProcessView }) {
  const text = useText().runs;
  const restart = useRestartProcess();
  const isBusy = restart.isPending || process.state === 'starting' || process.state === 'stopping';
  return (
    <>
      <Button
        size="compact-xs"
        variant={process.state === 'failed' ? 'filled' : 'default'}
        disabled={isBusy}
        data-testid={`${process.name}-restart`}
        onClick={() => restart.mutate(process.name)}
      >
        {isBusy ? text.restarting : text.restart}
      </Button>
      {restart.isError && (
        <p role="alert" className={classes.failure}>
          {text.restartFailed(restart.error.message)}
        </p>
      )}
    </>
  );
}
