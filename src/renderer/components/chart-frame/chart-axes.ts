const tick = { fill: 'var(--pl-ink-3)', fontSize: 11 } as const;
const line = { stroke: 'var(--pl-line-strong)' } as const;

/** The look that all axes share; a chart adds its data key, type and label. */
export const axisStyle = { tick, axisLine: line, tickLine: line, stroke: 'var(--pl-line-strong)' } as const;

/** Room for the axis words and for the longest figure of an axis. */
export const chartMargin = { top: 8, right: 12, bottom: 12, left: 4 } as const;
export const yAxisWidth = 78;

export const xLabel = (value: string) =>
  ({ value, position: 'insideBottom', offset: -8, fill: 'var(--pl-ink-3)', fontSize: 11 }) as const;
export const yLabel = (value: string) =>
  ({
    value,
    angle: -90,
    position: 'insideLeft',
    offset: 8,
    fill: 'var(--pl-ink-3)',
    fontSize: 11,
    style: { textAnchor: 'middle' },
  }) as const;

export const gridStyle = { stroke: 'var(--pl-line)', vertical: false } as const;
export const cursorStyle = { stroke: 'var(--pl-ink-3)', strokeDasharray: '3 3' } as const;
export const barCursorStyle = { fill: 'var(--pl-hover)' } as const;
