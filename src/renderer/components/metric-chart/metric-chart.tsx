import { useState } from 'react';
import { CartesianGrid, Line, LineChart, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { axisStyle, chartMargin, cursorStyle, gridStyle, xLabel, yAxisWidth, yLabel } from '../chart-frame/chart-axes';
import { ChartFrame, type ChartWords } from '../chart-frame/chart-frame';
import { ChartReadout } from '../chart-frame/chart-readout';
import { valueAxis } from '../chart-frame/value-axis';
import { formatQuantity } from '../number-format';
import { smooth } from './smoothing';

export interface MetricSeries {
  /** name in the metrics and in the CSV */
  readonly key: string;
  readonly name: string;
  /** one per x; null: reported, but not finite; undefined: not reported for that batch */
  readonly values: readonly (number | null | undefined)[];
}

interface Props {
  readonly title: string;
  readonly name: string;
  readonly unit: string;
  readonly xName: string;
  readonly x: readonly number[];
  readonly series: readonly MetricSeries[];
  /** the axis begins at zero even where all values are far from it */
  readonly fromZero: boolean;
  readonly words: ChartWords;
  readonly describeGaps: (at: readonly number[]) => string;
  readonly hint: string;
  /** charts with the same id share their crosshair */
  readonly syncId: string;
  readonly onOpen: () => void;
}

const smoothingWeight = 0.6;
const strokes = [
  { color: 'var(--pl-accent)', dash: undefined },
  { color: 'var(--pl-warn)', dash: '6 3' },
  { color: 'var(--pl-good)', dash: '2 3' },
] as const;
type Row = Readonly<Record<string, number | null>>;

/** One metric, or a few in one unit, over batches: raw line faint behind the smoothed one, missing values marked. */
export function MetricChart(props: Props) {
  const { title, name, unit, xName, x, series, fromZero, words, describeGaps, hint, syncId, onOpen } = props;
  // The crosshair is shared between the charts of a page; the readout belongs to the chart under the pointer, or
  // to the one whose points the arrow keys walk.
  const [isPointedAt, setPointedAt] = useState(false);
  const gaps = x.filter((_at, index) => series.some(({ values }) => values[index] === null));
  const smoothed = series.map(({ values }) =>
    smooth(
      values.map((value) => value ?? null),
      smoothingWeight,
    ),
  );
  const rows = x.map((at, index): Row => {
    const row: Record<string, number | null> = { x: at };
    for (const [order, { key, values }] of series.entries()) {
      row[key] = values[index] ?? null;
      row[`${key}~`] = smoothed[order]?.[index] ?? null;
    }
    return row;
  });
  return (
    <ChartFrame
      title={title}
      name={name}
      height={160}
      onEnter={onOpen}
      onFocusChange={setPointedAt}
      testId="metric-chart"
      words={words}
      table={{
        columns: [xName, ...series.map(({ key }) => key)],
        rows: x.map((at, index) => [at, ...series.map(({ values }) => values[index] ?? null)]),
      }}
      {...(gaps.length > 0 || series.length > 1
        ? { note: <Note series={series} gaps={gaps} describeGaps={describeGaps} /> }
        : {})}
    >
      <ResponsiveContainer width="100%" height="100%">
        <LineChart
          data={rows}
          margin={chartMargin}
          syncId={syncId}
          syncMethod="value"
          onClick={onOpen}
          onMouseEnter={() => setPointedAt(true)}
          onMouseLeave={() => setPointedAt(false)}
        >
          <CartesianGrid {...gridStyle} />
          <XAxis
            {...axisStyle}
            {...valueAxis(x, { steps: 8, isWhole: true, isTight: true })}
            dataKey="x"
            type="number"
            label={xLabel(xName)}
          />
          <YAxis
            {...axisStyle}
            {...valueAxis([...(fromZero ? [0] : []), ...series.flatMap(({ values }) => values)])}
            width={yAxisWidth}
            label={yLabel(unit)}
          />
          <ReferenceLine y={0} stroke="var(--pl-line-strong)" />
          {gaps.map((at) => (
            <ReferenceLine
              key={at}
              x={at}
              stroke="var(--pl-warn)"
              strokeDasharray="1 3"
              label={{ value: '△', position: 'insideBottom', fill: 'var(--pl-warn)', fontSize: 11 }}
            />
          ))}
          <Tooltip
            cursor={cursorStyle}
            isAnimationActive={false}
            content={({ active, label, payload }) => {
              const row = payload?.[0]?.payload as Row | undefined; // the datum given to the chart
              if (!active || !isPointedAt || row === undefined) return null;
              return (
                <ChartReadout
                  title={`${xName} ${label}`}
                  hint={hint}
                  lines={series.map(({ key, name: word }, order) => ({
                    name: word,
                    value: formatQuantity(row[key]),
                    color: strokes[order % strokes.length]?.color ?? '',
                  }))}
                />
              );
            }}
          />
          {series.flatMap(({ key }, order) => lines(key, order, rows.length === 1))}
        </LineChart>
      </ResponsiveContainer>
    </ChartFrame>
  );
}

/** A lone point between two gaps has no line, so short series show their points. */
function lines(key: string, order: number, isLone: boolean) {
  const { color, dash } = strokes[order % strokes.length] ?? strokes[0];
  const shared = { stroke: color, isAnimationActive: false, connectNulls: false, activeDot: false } as const;
  return [
    <Line
      key={key}
      {...shared}
      dataKey={key}
      strokeWidth={1}
      strokeOpacity={0.35}
      dot={{ r: 1.5, strokeWidth: 0, fill: color, fillOpacity: 0.5 }}
    />,
    <Line
      key={`${key}~`}
      {...shared}
      dataKey={`${key}~`}
      strokeWidth={2}
      // A single point is drawn in any case, by default as a ring with the line's dashes.
      dot={isLone ? { r: 3, strokeWidth: 0, fill: color } : false}
      {...(dash === undefined ? {} : { strokeDasharray: dash })}
    />,
  ];
}

function Note({ series, gaps, describeGaps }: Pick<Props, 'series' | 'describeGaps'> & { gaps: readonly number[] }) {
  return (
    <>
      {series.length > 1 && (
        <span style={{ display: 'inline-flex', gap: 14, marginRight: 14 }}>
          {series.map(({ key, name }, order) => {
            const { color, dash } = strokes[order % strokes.length] ?? strokes[0];
            return (
              <span key={key} style={{ display: 'inline-flex', alignItems: 'center', gap: 5 }}>
                <svg width="18" height="8" aria-hidden="true">
                  <line x1="0" x2="18" y1="4" y2="4" stroke={color} strokeWidth="2" strokeDasharray={dash} />
                </svg>
                {name}
              </span>
            );
          })}
        </span>
      )}
      {gaps.length > 0 && `△ ${describeGaps(gaps)}`}
    </>
  );
}
