import type { VersionRun } from '../../../shared/domain/version-runs';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { formatCount } from '../../components/number-format';
import { MiniStrip } from '../../components/token-strip';
import { useText } from '../../i18n/text';
import classes from './detail.module.css';
import { knownRuns } from './row-fields';
import { placeSegments } from './segment-places';
import type { ExpandedText } from './token-expansion';

interface Props {
  readonly record: TrajectoryRecord;
  readonly expanded: ExpandedText;
}

/** The spans of a trajectory in order: who wrote them, where they stand among all tokens, and by which versions. */
export function DetailSegments({ record, expanded }: Props) {
  const text = useText().trajectories;
  const columns = text.segmentColumns;
  const places = placeSegments(expanded.blocks, knownRuns(record));
  return (
    <div className={classes.segments}>
      {record.segments === undefined && <p className={classes.note}>{text.oneSegment}</p>}
      <table className={classes.segmentTable} data-testid="segment-table">
        <thead>
          <tr>
            <th>{columns.role}</th>
            <th data-align="end">{columns.tokens}</th>
            <th data-align="end">{columns.positions}</th>
            <th>{columns.versions}</th>
          </tr>
        </thead>
        {places.map(({ block, from, to, runs }) => (
          // One body a segment: its numbers, and below them its text over the whole width.
          <tbody key={from} data-role={block.role} data-testid="segment-row">
            <tr>
              <th scope="rowgroup">{text.roles[block.role]}</th>
              <td data-align="end">{formatCount(block.length)}</td>
              <td data-align="end">{block.length === 0 ? '–' : `${from}–${to}`}</td>
              <td>
                {runs.length === 0 ? (
                  '–'
                ) : (
                  <span className={classes.segmentVersions}>
                    {versionWords(runs)} <MiniStrip runs={runs} />
                  </span>
                )}
              </td>
            </tr>
            <tr>
              <td colSpan={4} className={classes.segmentTextCell}>
                <pre className={classes.segmentText}>{block.text}</pre>
              </td>
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  );
}

const versionWords = (runs: readonly VersionRun[]): string => {
  const versions = [...new Set(runs.map(([version]) => version))].sort((a, b) => a - b);
  return versions.map((version) => (version < 0 ? '?' : `v${version}`)).join(', ');
};
