import type { GroupStatistics } from '../../../shared/wire/statistics';
import { formatCount, formatQuantity, formatSigned } from '../../components/number-format';
import { useSettings } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import classes from './groups.module.css';

/** The source in one line of counts; each with what it means when pointed at. */
export function CountsLine({ statistics, isLive }: { readonly statistics: GroupStatistics; readonly isLive: boolean }) {
  const { baseline } = useSettings();
  // A group without contrast is a loss only to a baseline within groups; what an opened dump was trained with is unknown.
  const byBatch = isLive && (baseline === 'batch' || baseline === 'batch_loo');
  const tone = byBatch ? undefined : classes.warned;
  const { counts, hints } = useText().groups;
  const { overall, groups } = statistics;
  return (
    <p className={classes.counts} data-testid="group-counts">
      <span>{counts.trajectories(formatCount(statistics.trajectories))}</span>
      {overall.mean !== null && <span>{counts.mean(formatSigned(overall.mean), formatQuantity(overall.std))}</span>}
      <span>{counts.groups(formatCount(groups.total))}</span>
      {groups.singletons > 0 && (
        <span className={tone} title={byBatch ? hints.singletonsByBatch : hints.singletons}>
          {counts.singletons(formatCount(groups.singletons))}
        </span>
      )}
      {groups.zero_variance > 0 && (
        <span className={tone} title={byBatch ? hints.allEqualByBatch : hints.allEqual}>
          {counts.allEqual(formatCount(groups.zero_variance))}
        </span>
      )}
      {statistics.mixed_version > 0 && (
        <span title={hints.mixed}>{counts.mixed(formatCount(statistics.mixed_version))}</span>
      )}
    </p>
  );
}
