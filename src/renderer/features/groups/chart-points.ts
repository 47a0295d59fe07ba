import type { GroupStatistics } from '../../../shared/wire/statistics';

type Versions = GroupStatistics['by_version'];
type GroupRow = GroupStatistics['groups']['rows'][number];

/** One version as drawn: its mean and the ends of its band, which is absent where no deviation is known. */
export interface VersionPoint {
  readonly version: number;
  readonly count: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly band: readonly [number, number] | null;
}

/**
 * The axis of rewards: from the lowest to the highest there is, rounded outward to half steps of the span's power of
 * ten. A deviation reaches past what a reward can be; the axis does not.
 */
export function rewardDomain(
  summaries: readonly { readonly min: number | null; readonly max: number | null }[],
): [number, number] {
  const low = Math.min(...summaries.map(({ min }) => min ?? Number.POSITIVE_INFINITY));
  const high = Math.max(...summaries.map(({ max }) => max ?? Number.NEGATIVE_INFINITY));
  if (low > high) return [-1, 1];
  const span = high - low || Math.abs(high) || 1;
  const step = 10 ** Math.floor(Math.log10(span)) / 2;
  const round = (value: number): number => Number(value.toPrecision(12));
  const from = round(Math.floor(round(low / step)) * step);
  const to = round(Math.ceil(round(high / step)) * step);
  if (from !== to) return [from, to];
  // One value alone: room toward zero, none beyond the value.
  return [from > 0 ? round(from - step) : from === 0 ? -step : from, to < 0 ? round(to + step) : to === 0 ? step : to];
}

/** Known versions in order, with empty places for the versions between that have no trajectory: a gap, not a line. */
export function versionPoints(versions: Versions): VersionPoint[] {
  const known = versions.filter(({ version }) => version >= 0);
  const points: VersionPoint[] = [];
  for (const { version, count, mean, std } of known) {
    const last = points[points.length - 1];
    if (last !== undefined && version > last.version + 1) {
      // One empty place is enough to break the line, however wide the hole is.
      points.push({ version: last.version + 1, count: 0, mean: null, std: null, band: null });
    }
    const band = mean === null || std === null ? null : ([mean - std, mean + std] as const);
    points.push({ version, count, mean, std, band });
  }
  return points;
}

export type GroupState = 'mixed' | 'singleton' | 'equal';

/** What a group baseline can make of the group. */
export function groupState({ count, min, max }: Pick<GroupRow, 'count' | 'min' | 'max'>): GroupState {
  if (count < 2) return 'singleton';
  return min === max ? 'equal' : 'mixed';
}

const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Largest first, and groups of one size by name, `task-9` before `task-10`. */
export function orderGroups(rows: readonly GroupRow[]): GroupRow[] {
  return [...rows].sort((a, b) => b.count - a.count || byName(a.group_id, b.group_id));
}

/** One dot of the per-group chart; `place` is the group's position on the axis, from 1. */
export interface MemberDot {
  readonly place: number;
  readonly reward: number;
  readonly row: GroupRow;
}

export interface GroupDots {
  readonly mixed: readonly MemberDot[];
  readonly singleton: readonly MemberDot[];
  readonly equal: readonly MemberDot[];
  readonly means: readonly MemberDot[];
  /** true: of some groups only the lowest and the highest member are known */
  readonly partial: boolean;
}

/** Members as dots by state, and the mean of every group that has one to show. */
export function groupDots(rows: readonly GroupRow[]): GroupDots {
  const dots = { mixed: [] as MemberDot[], singleton: [] as MemberDot[], equal: [] as MemberDot[] };
  const means: MemberDot[] = [];
  let partial = false;
  for (const [index, row] of rows.entries()) {
    const place = index + 1;
    const state = groupState(row);
    const rewards = row.rewards ?? endsOf(row);
    if (row.rewards === undefined && row.count > 2) partial = true;
    for (const reward of rewards) dots[state].push({ place, reward, row });
    if (state === 'mixed' && row.mean !== null) means.push({ place, reward: row.mean, row });
  }
  return { ...dots, means, partial };
}

const endsOf = ({ count, min, max }: GroupRow): number[] =>
  min === null || max === null ? [] : count === 1 ? [min] : [min, max];
