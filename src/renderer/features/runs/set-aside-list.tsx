import { Button } from '@mantine/core';
import type { Status } from '../../../shared/wire/rl';
import { WarnIcon } from '../../components/icons/icons';
import { formatCount } from '../../components/number-format';
import { problemOf } from '../../data/gateway-problem';
import { useProblemWords, useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { useDecideBatch } from './queries';
import classes from './runs.module.css';

/** Batches that the trainer passed over, with the reason and the two things a person can do about each. */
export function SetAsideList({ batches }: { readonly batches: NonNullable<Status['set_aside']> }) {
  const text = useText().runs.setAside;
  const words = useProblemWords();
  const reasonWords = useReasonWords();
  const decide = useDecideBatch();
  if (batches.length === 0) return null;
  return (
    <section className={classes.section} aria-label={text.title}>
      <h2 className={classes.sectionTitle}>{text.title}</h2>
      <ul className={classes.alarms}>
        {batches.map(({ batch_id: batchId, ratings, reason }) => (
          <li key={batchId} className={classes.setAside} data-testid="set-aside" data-batch={batchId}>
            <WarnIcon size={14} />
            <span className={classes.setAsideText}>
              <strong>{text.batch(formatCount(batchId), formatCount(ratings))}</strong> {reasonWords(reason)}
            </span>
            <Button
              size="compact-xs"
              variant="filled"
              disabled={decide.isPending}
              data-testid="set-aside-retry"
              onClick={() => decide.mutate({ batchId, decision: 'retry' })}
            >
              {text.retry}
            </Button>
            <Button
              size="compact-xs"
              disabled={decide.isPending}
              data-testid="set-aside-dismiss"
              onClick={() => decide.mutate({ batchId, decision: 'dismiss' })}
            >
              {text.dismiss}
            </Button>
          </li>
        ))}
      </ul>
      <p className={classes.detail}>{text.help}</p>
      {decide.isError && (
        <p role="alert" className={classes.failure}>
          {text.failed(words(problemOf(decide.error)))}
        </p>
      )}
    </section>
  );
}
