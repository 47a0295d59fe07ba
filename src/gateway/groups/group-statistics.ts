import type { GroupStatistics } from '../../shared/wire/statistics';

/** What a statistic needs to know of one trajectory. */
export interface TrajectoryFacts {
  readonly groupId: string;
  /** null = not rated: counted as a trajectory, in no reward statistic */
  readonly reward: number | null;
  /** smallest version of its output tokens; −1 = unknown */
  readonly headVersion: number;
  readonly tailVersion: number;
  /** version of the weights that were trained on it; null = unknown or not trained */
  readonly consumedAtVersion: number | null;
}

const MAX_GROUP_ROWS = 200;
/** Members listed per group; a larger group is drawn from its summary. */
const MAX_LISTED_REWARDS = 64;
const HISTOGRAM_BUCKETS = 20;

type Summary = GroupStatistics['overall'];

/**
 * Reward, group and staleness statistics of a set of trajectories.
 *
 * Order of the input does not matter. Staleness is consuming version − head version, in versions; trajectories whose
 * head or consumer is unknown are left out of that histogram only.
 */
export function groupStatistics(trajectories: Iterable<TrajectoryFacts>): GroupStatistics {
  const overall = new Accumulator();
  const byVersion = new Map<number, Accumulator>();
  const byGroup = new Map<string, GroupAccumulator>();
  const staleness = new Map<number, number>();
  const rewards: number[] = [];
  let total = 0;
  let mixed = 0;
  for (const facts of trajectories) {
    total += 1;
    if (facts.tailVersion > facts.headVersion && facts.headVersion >= 0) mixed += 1;
    if (facts.consumedAtVersion !== null && facts.headVersion >= 0) {
      const age = facts.consumedAtVersion - facts.headVersion;
      staleness.set(age, (staleness.get(age) ?? 0) + 1);
    }
    if (facts.reward === null || !Number.isFinite(facts.reward)) continue;
    rewards.push(facts.reward);
    overall.add(facts.reward);
    entry(byVersion, facts.headVersion, () => new Accumulator()).add(facts.reward);
    entry(byGroup, facts.groupId, () => new GroupAccumulator()).addOf(facts.reward, facts.headVersion);
  }
  return {
    trajectories: total,
    overall: overall.summary(),
    by_version: [...byVersion]
      .sort(([a], [b]) => a - b)
      .map(([version, accumulator]) => ({ version, ...accumulator.summary() })),
    groups: groupsOf(byGroup),
    staleness: [...staleness].sort(([a], [b]) => a - b).map(([age, count]) => ({ staleness: age, count })),
    mixed_version: mixed,
    reward_histogram: histogram(rewards),
  };
}

/**
 * Counts of values: each value by itself (`from` = `to`) when there are at most 20 different ones, as with ratings; else in
 * 20 equal buckets from minimum to maximum, the last of which includes its upper edge.
 *
 * @param values - finite
 * @returns ascending; none when empty
 */
export function histogram(values: readonly number[]): { from: number; to: number; count: number }[] {
  const byValue = new Map<number, number>();
  for (const value of values) byValue.set(value, (byValue.get(value) ?? 0) + 1);
  const distinct = [...byValue].sort(([a], [b]) => a - b);
  if (distinct.length <= HISTOGRAM_BUCKETS)
    return distinct.map(([value, count]) => ({ from: value, to: value, count }));
  const from = distinct[0]?.[0] ?? 0;
  const to = distinct.at(-1)?.[0] ?? 0;
  const width = (to - from) / HISTOGRAM_BUCKETS;
  const counts = new Array<number>(HISTOGRAM_BUCKETS).fill(0);
  for (const value of values) {
    const bucket = Math.min(HISTOGRAM_BUCKETS - 1, Math.floor((value - from) / width));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts.map((count, k) => ({
    from: from + k * width,
    to: k === HISTOGRAM_BUCKETS - 1 ? to : from + (k + 1) * width,
    count,
  }));
}

function groupsOf(byGroup: ReadonlyMap<string, GroupAccumulator>): GroupStatistics['groups'] {
  const rows = [...byGroup].map(([group_id, accumulator]) => ({
    group_id,
    head_version: accumulator.headVersion,
    ...accumulator.summary(),
    rewards: accumulator.rewards,
  }));
  rows.sort((a, b) => b.count - a.count || (a.group_id < b.group_id ? -1 : 1));
  return {
    total: rows.length,
    singletons: rows.filter((row) => row.count === 1).length,
    zero_variance: rows.filter((row) => row.count > 1 && row.min === row.max).length,
    rows: rows.slice(0, MAX_GROUP_ROWS),
  };
}

/** Welford's running mean and variance: one pass, no cancellation for rewards far from zero. */
class Accumulator {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#count += 1;
    const delta = value - this.#mean;
    this.#mean += delta / this.#count;
    this.#squares += delta * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  summary(): Summary {
    if (this.#count === 0) return { count: 0, mean: null, std: null, min: null, max: null };
    const std = this.#count < 2 ? null : Math.sqrt(this.#squares / (this.#count - 1));
    return { count: this.#count, mean: this.#mean, std, min: this.#min, max: this.#max };
  }
}

class GroupAccumulator extends Accumulator {
  headVersion = -1;
  readonly rewards: number[] = [];

  addOf(reward: number, headVersion: number): void {
    this.add(reward);
    if (this.rewards.length < MAX_LISTED_REWARDS) this.rewards.push(reward);
    // unknown (−1) never hides a known version of another member
    if (headVersion >= 0)
      this.headVersion = this.headVersion < 0 ? headVersion : Math.min(this.headVersion, headVersion);
  }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
