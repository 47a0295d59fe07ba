import { useMemo } from 'react';
import {
  CartesianGrid,
  ReferenceLine,
  ResponsiveContainer,
  Scatter,
  ScatterChart,
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
import { groupDots, groupState, type MemberDot, orderGroups, rewardDomain } from './chart-points';
import { GroupLegend } from './group-legend';
import { EqualMark, LostEqualMark, MeanMark, MemberMark, SingletonMark } from './group-marks';
import { useGroupSignal } from './group-signal';
import { openRows } from './open-rows';

interface Props {
  readonly fileId: string;
  readonly isLive: boolean;
  readonly groups: GroupStatistics['groups'];
}

/** Groups along x, their members as dots; groups that give no signal have a shape of their own and say so in words. */
export function GroupRewards({ fileId, isLive, groups: { total, rows: unordered } }: Props) {
  const { groups: text } = useText();
  const words = text.perGroup;
  const signal = useGroupSignal(isLive);
  const rows = useMemo(() => orderGroups(unordered), [unordered]);
  const dots = groupDots(rows);
  const open = (point: unknown): void => {
    // Recharts passes what was drawn, with the datum it was given inside.
    const dot = (point as { readonly payload?: MemberDot }).payload;
    if (dot !== undefined) openRows({ fileId, groupId: dot.row.group_id });
  };
  const shared = { isAnimationActive: false, onClick: open, cursor: 'pointer' } as const;
  return (
    <ChartFrame
      title={words.title}
      name="rewards-per-group"
      testId="group-rewards-chart"
      words={text.chart}
      note={
        <GroupLegend
          signal={signal}
          hasMixed={dots.mixed.length > 0}
          hasSingletons={dots.singleton.length > 0}
          hasEqual={dots.equal.length > 0}
          remarks={[
            dots.partial ? words.partial : null,
            total > rows.length ? words.capped(formatCount(rows.length), formatCount(total)) : null,
          ]}
        />
      }
      table={{
        columns: words.columns,
        rows: rows.map((row) => [
          row.group_id,
          row.head_version,
          row.count,
          row.mean,
          row.std,
          row.min,
          row.max,
          words.states[groupState(row)],
        ]),
      }}
    >
      <ResponsiveContainer width="100%" height="100%">
        <ScatterChart margin={chartMargin}>
          <CartesianGrid {...gridStyle} />
          <XAxis
            {...axisStyle}
            type="number"
            dataKey="place"
            domain={[0, rows.length + 1]}
            tick={false}
            label={xLabel(words.x)}
          />
          <YAxis
            {...axisStyle}
            {...valueAxis(rewardDomain(rows), { steps: 4, isTight: true })}
            type="number"
            dataKey="reward"
            width={yAxisWidth}
            label={yLabel(words.y)}
          />
          <ReferenceLine y={0} stroke="var(--pl-line-strong)" />
          <Tooltip
            cursor={cursorStyle}
            isAnimationActive={false}
            content={({ active, payload }) => {
              const dot = payload?.[0]?.payload as MemberDot | undefined; // the datum given to the Scatter
              if (!active || dot === undefined) return null;
              const state = groupState(dot.row);
              return (
                <ChartReadout
                  title={words.group(dot.row.group_id)}
                  hint={text.openRows}
                  lines={[
                    { name: words.y, value: formatSigned(dot.reward) },
                    { name: words.members, value: formatCount(dot.row.count) },
                    { name: text.mean, value: formatSigned(dot.row.mean) },
                    { name: text.std, value: formatQuantity(dot.row.std) },
                    ...(state === 'mixed' ? [] : [{ name: words.states[state], value: '' }]),
                  ]}
                />
              );
            }}
          />
          <Scatter {...shared} data={dots.mixed} shape={MemberMark} />
          <Scatter {...shared} data={dots.equal} shape={signal === 'none' ? LostEqualMark : EqualMark} />
          <Scatter {...shared} data={dots.singleton} shape={SingletonMark} />
          <Scatter {...shared} data={dots.means} shape={MeanMark} />
        </ScatterChart>
      </ResponsiveContainer>
    </ChartFrame>
  );
}
