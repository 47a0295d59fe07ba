import { useState } from 'react';
import type { VersionRun } from '../../shared/domain/version-runs';
import { useColorScheme } from '../theme/use-color-scheme';
import { versionColor } from '../theme/version-ramp';
import classes from './token-strip.module.css';
import { inkOnVersion } from './version-colors';
import { type PlacedRun, placeRuns, runTokens, stripGradient } from './version-strip-runs';

interface StripProps {
  readonly runs: readonly VersionRun[];
}

/** Version strip of a table row: to scale, one element, no text of its own. */
export function MiniStrip({ runs }: StripProps) {
  const scheme = useColorScheme();
  return (
    <span
      className={classes.mini}
      aria-hidden="true"
      style={{ background: stripGradient(runs, (version) => versionColor(version, scheme)) }}
    />
  );
}

interface VersionStripProps extends StripProps {
  /** `v6: tokens 12–41 (30)` in the reader's language */
  readonly describeRun: (run: PlacedRun) => string;
  /** what the line under the strip says while no run is pointed at */
  readonly summary: string;
  readonly label: string;
}

/** Version strip of a whole completion: to scale, numbered where there is room, each run readable by pointer and keyboard. */
export function VersionStrip({ runs, describeRun, summary, label }: VersionStripProps) {
  const scheme = useColorScheme();
  const [pointed, setPointed] = useState<number | null>(null);
  const placed = placeRuns(runs);
  const total = runTokens(runs);
  const shown = pointed === null ? undefined : placed[pointed];
  return (
    <div className={classes.frame} data-testid="version-strip">
      <ul className={classes.strip} aria-label={label} onPointerLeave={() => setPointed(null)}>
        {placed.map((run, index) => (
          <li
            key={run.from}
            className={classes.run}
            data-testid="version-run"
            data-version={run.version}
            data-from={run.from}
            data-to={run.to}
            aria-label={describeRun(run)}
            // A run is read by arrow or Tab like any other figure; it does nothing when pressed.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the run's range is only readable when it can be reached
            tabIndex={0}
            style={{
              width: `${(run.length / total) * 100}%`,
              background: versionColor(run.version, scheme),
              color: inkOnVersion(run.version, scheme),
            }}
            onPointerEnter={() => setPointed(index)}
            onFocus={() => setPointed(index)}
            onBlur={() => setPointed(null)}
          >
            <span className={classes.number}>{run.version < 0 ? '?' : `v${run.version}`}</span>
          </li>
        ))}
      </ul>
      <p className={classes.readout} data-testid="version-readout">
        {shown === undefined ? summary : describeRun(shown)}
      </p>
    </div>
  );
}
