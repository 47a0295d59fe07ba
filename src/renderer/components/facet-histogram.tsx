import classes from './facet-histogram.module.css';

export interface FacetBar {
  readonly count: number;
  readonly color: string;
  /** what the bar says when pointed at */
  readonly title: string;
  readonly pressed?: boolean;
}

interface Props {
  readonly label: string;
  readonly bars: readonly FacetBar[];
  /** the ends of the axis, already written out */
  readonly from: string;
  readonly to: string;
  readonly onOpen: (index: number) => void;
}

/** A histogram the width of a side pane: bars, and the two ends of the axis. */
export function FacetHistogram({ label, bars, from, to, onOpen }: Props) {
  const largest = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <figure className={classes.figure} aria-label={label}>
      <div className={classes.bars}>
        {bars.map((bar, index) => (
          <button
            type="button"
            // Buckets have no identity but their place on the axis.
            // biome-ignore lint/suspicious/noArrayIndexKey: buckets are positional
            key={index}
            className={classes.slot}
            title={bar.title}
            aria-label={bar.title}
            aria-pressed={bar.pressed ?? false}
            disabled={bar.count === 0}
            onClick={() => onOpen(index)}
          >
            <span
              className={classes.bar}
              // A bucket with one row among thousands must still be seen.
              style={{
                height: bar.count === 0 ? 0 : `max(2px, ${(bar.count / largest) * 100}%)`,
                background: bar.color,
              }}
            />
          </button>
        ))}
      </div>
      <figcaption className={classes.ends}>
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}
