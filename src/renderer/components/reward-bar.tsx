import { rewardColor } from '../theme/reward-ramp';
import { useColorScheme } from '../theme/use-color-scheme';
import { formatSigned } from './number-format';
import classes from './reward-bar.module.css';

interface Props {
  readonly reward: number | null;
  /** magnitude that fills one half of the bar */
  readonly limit: number;
}

/** A reward as a figure and a bar that grows from the middle: orange to the left of zero, blue to the right. */
export function RewardBar({ reward, limit }: Props) {
  const scheme = useColorScheme();
  if (reward === null) {
    return (
      <span className={classes.cell}>
        <span className={`${classes.figure} ${classes.missing}`}>–</span>
      </span>
    );
  }
  const share = Math.min(Math.abs(reward) / (limit > 0 ? limit : 1), 1) * 50;
  return (
    <span className={classes.cell}>
      <span className={classes.figure}>{formatSigned(reward)}</span>
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.bar}
          style={{
            left: reward < 0 ? `${50 - share}%` : '50%',
            width: `${Math.max(share, 1)}%`,
            background: rewardColor(reward, scheme, limit > 0 ? limit : 1),
          }}
        />
      </span>
    </span>
  );
}
