import { describe, expect, it } from 'vitest';
import { groupStatisticsSchema } from '../../shared/wire/statistics';
import { groupStatistics, histogram, type TrajectoryFacts } from './group-statistics';

const row = (groupId: string, reward: number | null, over: Partial<TrajectoryFacts> = {}): TrajectoryFacts => ({
  groupId,
  reward,
  headVersion: 0,
  tailVersion: 0,
  consumedAtVersion: null,
  ...over,
});

describe('groupStatistics', () => {
  it('is empty, not NaN, for no trajectories', () => {
    const statistics = groupStatistics([]);
    expect(statistics.overall).toEqual({ count: 0, mean: null, std: null, min: null, max: null });
    expect(statistics.groups).toEqual({ total: 0, singletons: 0, zero_variance: 0, rows: [] });
    expect(statistics.reward_histogram).toEqual([]);
    expect(groupStatisticsSchema.parse(statistics)).toEqual(statistics);
  });

  // Python: statistics.mean / statistics.stdev of [1, 0, .5, 1, 1, -1] = 0.4166666666666667, 0.801040989379861
  it('uses the unbiased deviation', () => {
    const { overall } = groupStatistics([1, 0, 0.5, 1, 1, -1].map((reward, k) => row(`g${k}`, reward)));
    expect(overall.mean).toBeCloseTo(0.4166666666666667, 14);
    expect(overall.std).toBeCloseTo(0.801040989379861, 14);
    expect([overall.count, overall.min, overall.max]).toEqual([6, -1, 1]);
  });

  it('keeps precision for rewards far from zero', () => {
    const { overall } = groupStatistics([1e9 + 1, 1e9 + 2, 1e9 + 3].map((reward) => row('g', reward)));
    expect(overall.std).toBeCloseTo(1, 6);
  });

  it('splits by head version in ascending order, unknown first', () => {
    const rows = [10, 2, -1, 2].map((headVersion, k) => row(`g${k}`, k, { headVersion, tailVersion: headVersion }));
    expect(groupStatistics(rows).by_version.map(({ version, count, mean }) => [version, count, mean])).toEqual([
      [-1, 1, 2],
      [2, 2, 2],
      [10, 1, 0],
    ]);
  });

  it.each([
    ['one member', [row('a', 1)], { total: 1, singletons: 1, zero_variance: 0 }],
    ['two equal', [row('a', 1), row('a', 1)], { total: 1, singletons: 0, zero_variance: 1 }],
    ['two different', [row('a', 1), row('a', 0)], { total: 1, singletons: 0, zero_variance: 0 }],
    ['an unrated member does not count', [row('a', 1), row('a', null)], { total: 1, singletons: 1, zero_variance: 0 }],
  ])('groups: %s', (_name, rows, expected) => {
    expect(groupStatistics(rows).groups).toMatchObject(expected);
  });

  it('lists the largest groups first, at most 200, with the smallest known head', () => {
    const rows = Array.from({ length: 250 }, (_, k) => row(`g${String(k).padStart(3, '0')}`, 1));
    rows.push(row('g100', 0, { headVersion: -1 }), row('g100', 0, { headVersion: 3 }));
    const { groups } = groupStatistics(rows);
    expect(groups.total).toBe(250);
    expect(groups.rows).toHaveLength(200);
    expect(groups.rows[0]).toMatchObject({ group_id: 'g100', count: 3, head_version: 0 });
    expect(groups.rows[1]?.group_id).toBe('g000');
  });

  it('measures staleness as consuming version − head and leaves the unknown out', () => {
    const rows = [
      row('a', 1, { headVersion: 3, tailVersion: 4, consumedAtVersion: 5 }),
      row('b', null, { headVersion: 5, tailVersion: 5, consumedAtVersion: 5 }),
      row('c', 1, { headVersion: -1, tailVersion: -1, consumedAtVersion: 5 }),
      row('d', 1, { headVersion: 2, tailVersion: 2 }),
    ];
    const statistics = groupStatistics(rows);
    expect(statistics.staleness).toEqual([
      { staleness: 0, count: 1 },
      { staleness: 2, count: 1 },
    ]);
    expect(statistics.mixed_version).toBe(1);
    expect(statistics.trajectories).toBe(4);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('leaves a reward of %s out of every mean', (bad) => {
    expect(groupStatistics([row('a', bad), row('b', 1)]).overall).toMatchObject({ count: 1, mean: 1 });
  });
});

describe('histogram', () => {
  it.each([
    ['empty', [], []],
    ['all equal', [2, 2], [{ from: 2, to: 2, count: 2 }]],
    [
      'a rating scale: each score by itself, whatever its neighbours',
      [1, -1, 0.5, 1],
      [
        { from: -1, to: -1, count: 1 },
        { from: 0.5, to: 0.5, count: 1 },
        { from: 1, to: 1, count: 2 },
      ],
    ],
  ])('%s', (_name, values, expected) => {
    expect(histogram(values)).toEqual(expected);
  });

  it('counts every value once and includes both ends', () => {
    const values = Array.from({ length: 101 }, (_, k) => k / 100);
    const buckets = histogram(values);
    expect(buckets).toHaveLength(20);
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(101);
    expect([buckets[0]?.from, buckets[19]?.to]).toEqual([0, 1]);
  });
});
