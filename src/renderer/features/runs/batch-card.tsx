import { Button, Progress } from '@mantine/core';
import type { Status } from '../../../shared/wire/rl';
import { openScreen } from '../../components/navigation/navigation-store';
import { formatCount } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { Card } from './card';
import classes from './runs.module.css';

/** How full the next batch is; ratings of open sessions are counted apart, because they cannot be taken yet. */
export function BatchCard({ status }: { readonly status: Status | undefined }) {
  const text = useText().runs.batch;
  if (status === undefined) return <Card title={text.title} />;
  const { filled, size, open_rated: openRated, next_id: next } = status.batch;
  const share = (count: number): number => (size === 0 ? 0 : Math.min((count / size) * 100, 100));
  return (
    <Card
      title={text.title}
      state={<span className={classes.quiet}>{text.name(formatCount(next))}</span>}
      action={
        filled < size && (
          <Button size="compact-xs" onClick={() => openScreen('rate')}>
            {text.goRate}
          </Button>
        )
      }
    >
      <div className={classes.progress} data-testid="batch-fill">
        <strong>{text.filled(formatCount(filled), formatCount(size))}</strong>
        <Progress.Root size="sm">
          <Progress.Section
            value={share(filled)}
            color="var(--pl-accent)"
            aria-label={text.filled(String(filled), String(size))}
          />
          <Progress.Section
            value={Math.min(share(openRated), 100 - share(filled))}
            color="var(--pl-line-strong)"
            striped
          />
        </Progress.Root>
      </div>
      {openRated > 0 && <p className={classes.detail}>{text.open(formatCount(openRated))}</p>}
      {filled >= size && <p className={classes.detail}>{text.full}</p>}
    </Card>
  );
}
