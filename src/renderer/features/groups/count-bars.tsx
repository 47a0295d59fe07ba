import { Bar, BarChart, CartesianGrid, Cell, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import {
  axisStyle,
  barCursorStyle,
  chartMargin,
  gridStyle,
  xLabel,
  yAxisWidth,
  yLabel,
} from '../../components/chart-frame/chart-axes';
import { ChartReadout } from '../../components/chart-frame/chart-readout';
import { formatCount } from '../../components/number-format';

export interface CountBar {
  /** what stands under the bar */
  readonly tick: string;
  /** what the readout calls it */
  readonly name: string;
  readonly count: number;
  readonly color: string;
}

interface Props {
  readonly bars: readonly CountBar[];
  readonly x: string;
  readonly y: string;
  readonly hint: string;
  readonly onOpen: (index: number) => void;
}

/** Bars of counts: the drawing that both histograms share. */
export function CountBars({ bars, x, y, hint, onOpen }: Props) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart data={[...bars]} margin={chartMargin} barCategoryGap={1}>
        <CartesianGrid {...gridStyle} />
        <XAxis {...axisStyle} dataKey="tick" interval="preserveStartEnd" minTickGap={16} label={xLabel(x)} />
        <YAxis {...axisStyle} width={yAxisWidth} allowDecimals={false} tickFormatter={formatCount} label={yLabel(y)} />
        <Tooltip
          cursor={barCursorStyle}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const bar = payload?.[0]?.payload as CountBar | undefined; // the datum given to the chart
            if (!active || bar === undefined) return null;
            return <ChartReadout title={bar.name} hint={hint} lines={[{ name: y, value: formatCount(bar.count) }]} />;
          }}
        />
        <Bar
          dataKey="count"
          isAnimationActive={false}
          cursor="pointer"
          maxBarSize={48}
          onClick={(_bar, index) => onOpen(index)}
        >
          {bars.map(({ name, color }) => (
            <Cell key={name} fill={color} />
          ))}
        </Bar>
      </BarChart>
    </ResponsiveContainer>
  );
}
