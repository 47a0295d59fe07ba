import type { GroupStatistics } from '../../../shared/wire/statistics';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { formatCount, formatQuantity, formatSigned } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { useGroupSignal } from './group-signal';
import classes from './groups.module.css';
import { openRows } from './open-rows';

interface Props {
  readonly file: TrajectoryFile;
  readonly statistics: GroupStatistics;
}

/** The source in one line of counts; each with what it means when pointed at, and rows in the words of Trajectories. */
export function CountsLine({ file, statistics }: Props) {
  const signal = useGroupSignal(file.kind === 'live');
  const tone = signal === 'none' ? classes.warned : undefined;
  const { groups: text, trajectories: rowWords } = useText();
  const { counts, hints } = text;
  const { overall, groups } = statistics;
  return (
    <p className={classes.counts} data-testid="group-counts">
      <span>{rowWords.rows(formatCount(statistics.trajectories))}</span>
      {file.bad_lines > 0 && (
        <button
          type="button"
          className={classes.bad}
          title={rowWords.badLinesHint}
          data-testid="groups-bad-lines"
          onClick={() => openRows({ fileId: file.id, badLines: true })}
        >
          {rowWords.badLines(formatCount(file.bad_lines))}
        </button>
      )}
      {overall.mean !== null && (
        <span>
          {counts.mean(formatSigned(overall.mean), overall.std === null ? null : formatQuantity(overall.std))}
        </span>
      )}
      {groups.total > 0 && <span>{counts.groups(formatCount(groups.total))}</span>}
      {groups.singletons > 0 && (
        <span className={tone} title={hints.singletons[signal]}>
          {counts.singletons(formatCount(groups.singletons))}
        </span>
      )}
      {groups.zero_variance > 0 && (
        <span className={tone} title={hints.allEqual[signal]}>
          {counts.allEqual(formatCount(groups.zero_variance))}
        </span>
      )}
      {statistics.mixed_version > 0 && (
        <span title={hints.mixed}>{counts.mixed(formatCount(statistics.mixed_version))}</span>
      )}
    </p>
  );
}
