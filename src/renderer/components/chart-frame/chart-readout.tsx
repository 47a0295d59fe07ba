import classes from './chart-readout.module.css';

export interface ReadoutLine {
  readonly name: string;
  readonly value: string;
  readonly color?: string;
}

/** What the crosshair says: the point's name, then one line per number. */
export function ChartReadout({ title, lines, hint }: { title: string; lines: readonly ReadoutLine[]; hint?: string }) {
  return (
    <div className={classes.readout}>
      <p className={classes.title}>{title}</p>
      <dl className={classes.lines}>
        {lines.map(({ name, value, color }) => (
          <div key={name} className={classes.line}>
            <dt>
              {color !== undefined && <span className={classes.swatch} style={{ background: color }} />}
              {name}
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {hint !== undefined && <p className={classes.hint}>{hint}</p>}
    </div>
  );
}
