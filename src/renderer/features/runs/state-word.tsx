import { BusyIcon, CheckIcon, WarnIcon } from '../../components/icons/icons';
import classes from './runs.module.css';

export type Tone = 'neutral' | 'busy' | 'good' | 'warn' | 'bad';

/** A state as colour, sign and word; only a busy one moves. */
export function StateWord({
  tone,
  word,
  testId,
}: {
  readonly tone: Tone;
  readonly word: string;
  readonly testId?: string;
}) {
  return (
    <span className={classes.state} data-tone={tone} data-testid={testId}>
      {tone === 'busy' && <BusyIcon size={14} />}
      {tone === 'good' && <CheckIcon size={14} />}
      {(tone === 'warn' || tone === 'bad') && <WarnIcon size={14} />}
      {tone === 'neutral' && <span className={classes.neutralDot} aria-hidden="true" />}
      {word}
    </span>
  );
}
