import { assertNever } from '../../../shared/lib/assert-never';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { groupKey } from './row-fields';
import type { Mark } from './store';

/** Whether the mark sets this row off; a bad line matches nothing. */
export function markMatches(mark: Mark, row: TrajectoryRow): boolean {
  const { record } = row;
  if (record === null) return false;
  switch (mark.kind) {
    case 'version':
      // The statistics count by head version, so the mark does too.
      return record.head_version === mark.version;
    case 'group':
      return record.group_id === mark.groupId || groupKey(row) === mark.groupId || row.file === mark.groupId;
    case 'rewards': {
      const { reward } = record;
      if (reward === null || reward < mark.from) return false;
      return mark.closed ? reward <= mark.to : reward < mark.to;
    }
    default:
      return assertNever(mark);
  }
}
