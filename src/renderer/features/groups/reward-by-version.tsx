import {
  Area,
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { GroupStatistics } from '../../../shared/wire/statistics';
import {
  axisStyle,
  chartMargin,
  cursorStyle,
  gridStyle,
  xLabel,
  yAxisWidth,
  yLabel,
} from '../../components/chart-frame/chart-axes';
import { ChartFrame } from '../../components/chart-frame/chart-frame';
import { ChartReadout } from '../../components/chart-frame/chart-readout';
import { valueAxis } from '../../components/chart-frame/value-axis';
import { formatCount, formatQuantity, formatSigned } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { rewardDomain, type VersionPoint, versionPoints } from './chart-points';
import { openRows } from './open-rows';

interface Props {
  readonly fileId: string;
  readonly versions: GroupStatistics['by_version'];
}

/** Mean reward over versions with its band; a version without trajectories is a gap. */
export function RewardByVersion({ fileId, versions }: Props) {
  const { groups: text } = useText();
  const words = text.byVersion;
  const points = versionPoints(versions);
  const known = versions.filter(({ version }) => version >= 0);
  const unknown = versions.find(({ version }) => version < 0)?.count ?? 0;
  return (
    <ChartFrame
      title={words.title}
      name="reward-by-version"
      testId="group-chart"
      words={text.chart}
      note={`${words.band}${unknown > 0 ? ` ${words.unknown(formatCount(unknown))}` : ''}`}
      table={{
        columns: words.columns,
        rows: versions.map(({ version, count, mean, std, min, max }) => [version, count, mean, std, min, max]),
      }}
    >
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart
          data={points}
          margin={chartMargin}
          onClick={({ activeLabel }) => {
            if (activeLabel !== undefined) openRows({ fileId, version: Number(activeLabel) });
          }}
        >
          <CartesianGrid {...gridStyle} />
          <XAxis
            {...axisStyle}
            dataKey="version"
            type="number"
            domain={['dataMin - 0.25', 'dataMax + 0.25']}
            ticks={versionTicks(points)}
            label={xLabel(words.x)}
          />
          <YAxis
            {...axisStyle}
            {...valueAxis(rewardDomain(known), { steps: 4, isTight: true })}
            allowDataOverflow
            width={yAxisWidth}
            label={yLabel(words.y)}
          />
          <ReferenceLine y={0} stroke="var(--pl-line-strong)" />
          <Tooltip
            cursor={cursorStyle}
            isAnimationActive={false}
            content={({ active, payload }) => {
              // Recharts hands back the datum it was given.
              const point = payload?.[0]?.payload as VersionPoint | undefined;
              if (!active || point === undefined || point.count === 0) return null;
              return (
                <ChartReadout
                  title={words.version(String(point.version))}
                  hint={text.openRows}
                  lines={[
                    { name: text.mean, value: formatSigned(point.mean) },
                    { name: text.std, value: formatQuantity(point.std) },
                    { name: text.count, value: formatCount(point.count) },
                  ]}
                />
              );
            }}
          />
          {points.length > 1 && (
            <Area
              dataKey="band"
              stroke="none"
              fill="var(--pl-accent)"
              fillOpacity={0.16}
              isAnimationActive={false}
              activeDot={false}
              connectNulls={false}
            />
          )}
          <Line
            dataKey="mean"
            stroke="var(--pl-accent)"
            strokeWidth={2}
            dot={{ r: 3, fill: 'var(--pl-accent)', strokeWidth: 0, clipDot: false }}
            isAnimationActive={false}
            connectNulls={false}
          >
            {/* A lone version has no area to fill; its deviation is drawn as a bar. */}
            {points.length === 1 && <ErrorBar dataKey="std" width={8} stroke="var(--pl-accent)" strokeOpacity={0.5} />}
          </Line>
        </ComposedChart>
      </ResponsiveContainer>
    </ChartFrame>
  );
}

/** Whole versions only, at most a dozen of them. */
function versionTicks(points: readonly VersionPoint[]): number[] {
  const first = points[0]?.version ?? 0;
  const last = points[points.length - 1]?.version ?? 0;
  const step = Math.max(Math.ceil((last - first) / 12), 1);
  const ticks: number[] = [];
  for (let version = first; version <= last; version += step) ticks.push(version);
  return ticks;
}
