import type { TrainingMetrics } from '../../../shared/wire/rl';
import { WarnIcon } from '../../components/icons/icons';
import { formatCount, formatQuantity } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { findAlarms } from './alarms';
import classes from './runs.module.css';

/** What the newest batch says should be looked at, in words with the numbers behind them. */
export function AlarmList({ batches }: { readonly batches: TrainingMetrics['batches'] }) {
  const text = useText().runs.alarms;
  if (batches.length === 0) return null;
  const alarms = findAlarms(batches);
  if (alarms.length === 0) return <p className={classes.detail}>{text.none}</p>;
  return (
    <ul className={classes.alarms} aria-label={text.title}>
      {alarms.map(({ kind, batchId, value, limit }) => (
        <li key={kind} className={classes.alarm} data-testid="training-alarm" data-kind={kind}>
          <WarnIcon size={14} />
          <span>
            {text[kind](formatQuantity(value), formatQuantity(limit))}{' '}
            <span className={classes.quiet}>{text.at(formatCount(batchId))}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
