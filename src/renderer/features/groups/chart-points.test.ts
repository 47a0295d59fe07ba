import { describe, expect, it } from 'vitest';
import { groupDots, groupState, orderGroups, rewardDomain, versionPoints } from './chart-points';

const summary = (count: number, mean: number | null, std: number | null) => ({
  count,
  mean,
  std,
  min: mean,
  max: mean,
});

describe('versionPoints', () => {
  it('leaves out unknown versions and breaks the line over versions without trajectories', () => {
    const points = versionPoints([
      { version: -1, ...summary(9, 0, 1) },
      { version: 2, ...summary(4, 0.5, 0.25) },
      { version: 5, ...summary(1, 1, null) },
    ]);
    expect(points).toEqual([
      { version: 2, count: 4, mean: 0.5, std: 0.25, band: [0.25, 0.75] },
      { version: 3, count: 0, mean: null, std: null, band: null },
      { version: 5, count: 1, mean: 1, std: null, band: null },
    ]);
  });
});

describe('rewardDomain', () => {
  it.each([
    ['ends that are round', [{ min: -1, max: 1 }], [-1, 1]],
    [
      'several, some unknown',
      [
        { min: 0, max: 0.5 },
        { min: null, max: null },
        { min: -0.5, max: 0 },
      ],
      [-0.5, 0.5],
    ],
    ['ends between the steps', [{ min: -0.83, max: 0.97 }], [-1, 1]],
    ['a narrow range', [{ min: 0.12, max: 0.47 }], [0.1, 0.5]],
    ['a reward of its own scale', [{ min: 3, max: 42 }], [0, 45]],
    ['one value', [{ min: 1, max: 1 }], [0.5, 1]],
    ['one negative value', [{ min: -1, max: -1 }], [-1, -0.5]],
    ['one value of zero', [{ min: 0, max: 0 }], [-0.5, 0.5]],
    ['nothing', [], [-1, 1]],
  ])('%s', (_name, summaries, expected) => {
    expect(rewardDomain(summaries)).toEqual(expected);
  });
});

describe('orderGroups', () => {
  it('puts the largest first and names of one size in the order a person counts', () => {
    const rows = ['t-10', 't-9', 't-1', 't-2'].map((id) => ({ group_id: id, count: id === 't-2' ? 3 : 2 }));
    const full = rows.map((row) => ({ ...row, head_version: 0, mean: 0, std: 0, min: 0, max: 0 }));
    expect(orderGroups(full).map(({ group_id }) => group_id)).toEqual(['t-2', 't-1', 't-9', 't-10']);
  });
});

describe('groupState', () => {
  it.each([
    ['one member', { count: 1, min: 1, max: 1 }, 'singleton'],
    ['all rewards equal', { count: 4, min: 0.5, max: 0.5 }, 'equal'],
    ['rewards that differ', { count: 2, min: 0, max: 0.5 }, 'mixed'],
  ] as const)('%s', (_reason, row, expected) => {
    expect(groupState(row)).toBe(expected);
  });
});

describe('groupDots', () => {
  const row = (group_id: string, count: number, min: number, max: number, rewards?: number[]) => ({
    group_id,
    head_version: 1,
    count,
    mean: (min + max) / 2,
    std: null,
    min,
    max,
    ...(rewards === undefined ? {} : { rewards }),
  });

  it('draws every listed member, and the mean of groups whose rewards differ', () => {
    const dots = groupDots([row('a', 3, 0, 1, [0, 0.5, 1]), row('b', 2, 1, 1, [1, 1]), row('c', 1, -1, -1)]);
    expect(dots.mixed.map(({ place, reward }) => [place, reward])).toEqual([
      [1, 0],
      [1, 0.5],
      [1, 1],
    ]);
    expect(dots.equal.map(({ place }) => place)).toEqual([2, 2]);
    expect(dots.singleton.map(({ place, reward }) => [place, reward])).toEqual([[3, -1]]);
    expect(dots.means.map(({ place, reward }) => [place, reward])).toEqual([[1, 0.5]]);
    expect(dots.partial).toBe(false);
  });

  it('says when members between the lowest and the highest are not known', () => {
    expect(groupDots([row('a', 2, 0, 1)]).partial).toBe(false);
    expect(groupDots([row('a', 3, 0, 1)]).partial).toBe(true);
  });
});
