import type { GroupStatistics } from '../../../shared/wire/statistics';
import { formatCount, formatQuantity, formatSigned } from '../../components/number-format';
import { useText } from '../../i18n/text';
import classes from './groups.module.css';

/** The source in one line of counts; each with what it means when pointed at. */
export function CountsLine({ statistics }: { readonly statistics: GroupStatistics }) {
  const { counts, hints } = useText().groups;
  const { overall, groups } = statistics;
  return (
    <p className={classes.counts} data-testid="group-counts">
      <span>{counts.trajectories(formatCount(statistics.trajectories))}</span>
      {overall.mean !== null && <span>{counts.mean(formatSigned(overall.mean), formatQuantity(overall.std))}</span>}
      <span>{counts.groups(formatCount(groups.total))}</span>
      {groups.singletons > 0 && (
        <span className={classes.warned} title={hints.singletons}>
          {counts.singletons(formatCount(groups.singletons))}
        </span>
      )}
      {groups.zero_variance > 0 && (
        <span className={classes.warned} title={hints.allEqual}>
          {counts.allEqual(formatCount(groups.zero_variance))}
        </span>
      )}
      {statistics.mixed_version > 0 && (
        <span title={hints.mixed}>{counts.mixed(formatCount(statistics.mixed_version))}</span>
      )}
    </p>
  );
}
