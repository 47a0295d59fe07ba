import type { VersionRun } from '../../../shared/domain/version-runs';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { runTokens } from '../../components/version-strip-runs';

/** Runs without the −1 that old dumps write for "unknown"; empty when the dump does not say. */
export function knownRuns(record: TrajectoryRecord): readonly VersionRun[] {
  return record.version_rle ?? [];
}

/** `v5`, `v5–6`, or null when the dump does not know: a head of −1 is the minimum over prompt tokens in old dumps. */
export function versionLabel(record: TrajectoryRecord): string | null {
  const { head_version: head, tail_version: tail } = record;
  if (head < 0 && tail < 0) return null;
  if (head < 0) return record.version_rle === undefined ? null : `v${tail}`;
  return head === tail ? `v${head}` : `v${head}–${tail}`;
}

/**
 * Sampled tokens of the row. In multi-turn rows `seqlen − prompt_len` also counts context, so the runs or the generated
 * segments decide; only a row with neither falls back to the difference.
 */
export function outputTokens(record: TrajectoryRecord): number {
  if (record.version_rle !== undefined) return runTokens(record.version_rle);
  const generated = record.segments?.filter(({ role }) => role === 'gen');
  if (generated !== undefined) return generated.reduce((sum, { len }) => sum + len, 0);
  return Math.max(record.seqlen - record.prompt_len, 0);
}

/** Which rows belong together: our group id, else the file, which in AReaL's layout holds one task's group. */
export function groupKey(row: TrajectoryRow): string | null {
  if (row.record === null) return null;
  return row.record.group_id ?? `${row.file}#${row.record.task_id}`;
}
