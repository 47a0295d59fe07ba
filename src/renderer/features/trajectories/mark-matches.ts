import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { groupKey } from './row-fields';
import type { Mark } from './store';

/** Whether the mark sets this row off; a bad line matches nothing. */
export function markMatches(mark: Mark, row: TrajectoryRow): boolean {
  if (row.record === null) return false;
  // The statistics count by head version, so the mark does too.
  if (mark.kind === 'version') return row.record.head_version === mark.version;
  return row.record.group_id === mark.groupId || groupKey(row) === mark.groupId;
}
