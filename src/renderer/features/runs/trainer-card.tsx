import { Progress } from '@mantine/core';
import type { ProcessView } from '../../../shared/ipc/contract';
import type { Status } from '../../../shared/wire/rl';
import { formatCount, formatPercent } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { Card } from './card';
import { Fact, ProcessFacts, RestartButton } from './process-facts';
import classes from './runs.module.css';
import { StateWord, type Tone } from './state-word';

const tones: Readonly<Record<Status['trainer']['state'], Tone>> = { off: 'neutral', idle: 'neutral', training: 'busy' };

interface Props {
  readonly status: Status | undefined;
  readonly process: ProcessView | undefined;
}

/** What the trainer is doing, how far it is, and the process behind it. */
export function TrainerCard({ status, process }: Props) {
  const text = useText().runs;
  const trainer = status?.trainer;
  const isFailed = process?.state === 'failed';
  return (
    <Card
      title={text.trainer.title}
      state={
        isFailed ? (
          <StateWord tone="bad" word={text.processStates.failed} testId="trainer-state" />
        ) : (
          trainer !== undefined && (
            <StateWord tone={tones[trainer.state]} word={text.trainer.states[trainer.state]} testId="trainer-state" />
          )
        )
      }
      action={process !== undefined && <RestartButton process={process} />}
    >
      {trainer?.state === 'training' && !isFailed && <BatchProgress trainer={trainer} />}
      {process === undefined ? (
        <Fact name={text.facts.process}>{text.noProcess}</Fact>
      ) : (
        <ProcessFacts process={process} />
      )}
    </Card>
  );
}

function BatchProgress({ trainer }: { readonly trainer: Status['trainer'] }) {
  const text = useText().runs.trainer;
  const { batch_id: batch, phase, fraction } = trainer;
  const words = [
    batch === null ? null : text.batch(formatCount(batch)),
    phase === null ? null : (text.phases[phase] ?? phase),
    fraction === null ? null : formatPercent(fraction),
  ];
  return (
    <div className={classes.progress}>
      <span data-testid="trainer-progress">{words.filter((word) => word !== null).join(' · ')}</span>
      {fraction !== null && (
        <Progress size="sm" color="var(--pl-accent)" value={fraction * 100} aria-label={text.progress} />
      )}
    </div>
  );
}
