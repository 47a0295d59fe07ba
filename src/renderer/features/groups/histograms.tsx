import type { GroupStatistics } from '../../../shared/wire/statistics';
import { ChartFrame } from '../../components/chart-frame/chart-frame';
import { formatCount, signedAlike } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { rewardColor } from '../../theme/reward-ramp';
import { useColorScheme } from '../../theme/use-color-scheme';
import { CountBars } from './count-bars';
import classes from './groups.module.css';
import { openRows } from './open-rows';

interface Props {
  readonly fileId: string;
  readonly statistics: GroupStatistics;
}

export function RewardHistogram({ fileId, statistics }: Props) {
  const { groups: text } = useText();
  const words = text.histogram;
  const scheme = useColorScheme();
  const buckets = statistics.reward_histogram;
  const write = signedAlike(buckets.flatMap(({ from, to }) => [from, to]));
  const limit = Math.max(...buckets.flatMap(({ from, to }) => [Math.abs(from), Math.abs(to)]), Number.EPSILON);
  return (
    <ChartFrame
      title={words.title}
      name="reward-histogram"
      testId="reward-histogram-chart"
      words={text.chart}
      table={{ columns: words.columns, rows: buckets.map(({ from, to, count }) => [from, to, count]) }}
    >
      <CountBars
        x={words.x}
        y={words.y}
        hint={text.openRows}
        bars={buckets.map(({ from, to, count }) => ({
          tick: write(from),
          name: words.bucket(write(from), write(to)),
          count,
          color: rewardColor((from + to) / 2, scheme, limit),
        }))}
        onOpen={(index) => {
          const bucket = buckets[index];
          if (bucket === undefined) return;
          // All buckets but the last leave their upper edge to the next one.
          openRows({
            fileId,
            rewards: [bucket.from, bucket.to, bucket.from === bucket.to || index === buckets.length - 1],
          });
        }}
      />
    </ChartFrame>
  );
}

export function StalenessHistogram({ fileId, statistics }: Props) {
  const { groups: text } = useText();
  const words = text.staleness;
  const bars = statistics.staleness;
  return (
    <ChartFrame
      title={words.title}
      name="staleness"
      testId="staleness-chart"
      words={text.chart}
      table={{ columns: words.columns, rows: bars.map(({ staleness, count }) => [staleness, count]) }}
    >
      {bars.length === 0 ? (
        <p className={classes.unknown}>{words.unknown}</p>
      ) : (
        <CountBars
          x={words.x}
          y={words.y}
          hint={text.openRows}
          bars={bars.map(({ staleness, count }) => ({
            tick: formatCount(staleness),
            name: words.value(formatCount(staleness)),
            count,
            color: 'var(--pl-accent)',
          }))}
          // Rows do not say when they were consumed, so all of the source is shown.
          onOpen={() => openRows({ fileId })}
        />
      )}
    </ChartFrame>
  );
}
