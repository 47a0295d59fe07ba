import { describe, expect, it } from 'vitest';
import { interactionId } from '../../shared/domain/ids';
import type { TurnFacts } from '../../shared/domain/turn-facts';
import { creditRewards, discountRewards, planEpisodes, unfitReason } from './reward-discount';

const turn = (ordinal: number, over: Partial<TurnFacts> = {}): TurnFacts => ({
  interactionId: interactionId(`i${ordinal}`),
  ordinal,
  state: 'finished',
  distorted: false,
  temperature: 1,
  outputTokens: 5,
  reward: null,
  closed: null,
  ...over,
});
const session = (turnDiscount: number, state: 'open' | 'ended' = 'ended') => ({
  sessionId: 's',
  groupId: 'g',
  state,
  turnDiscount,
});

describe('discountRewards', () => {
  it.each([
    ['AReaL worked example, γ 0.9', [null, 0.2, null, 1], 0.9, [0.909, 1.01, 0.9, 1]],
    ['γ 1 gives suffix sums', [1, 2, 3], 1, [6, 5, 3]],
    ['γ 0 changes nothing but the unset', [1, null, 3], 0, [1, 0, 3]],
    ['no interactions', [], 1, []],
    ['negative rewards', [-1, 1], 0.5, [-0.5, 1]],
  ])('%s', (_name, rewards, gamma, expected) => {
    const actual = discountRewards(rewards, gamma);
    expect(actual).toHaveLength(expected.length);
    actual.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k] ?? Number.NaN, 12);
    });
  });
});

describe('creditRewards', () => {
  it.each([
    ['after the last rating nothing is known', [null, 1, null], 1, [1, 1, null]],
    ['an unrated session has no credit', [null, null], 1, [null, null]],
    ['γ 0: only own ratings', [null, 1, null], 0, [null, 1, null]],
    ['a rating of 0 is a rating', [null, 0, null], 0.5, [0, 0, null]],
  ])('%s', (_name, rewards, gamma, expected) => {
    expect(creditRewards(rewards, gamma)).toEqual(expected);
  });
});

describe('unfitReason', () => {
  it.each([
    ['finished', {}, null],
    ['running', { state: 'running' as const }, /never finished/],
    ['interrupted', { state: 'interrupted' as const }, /never finished/],
    ['failed', { state: 'failed' as const }, /never finished/],
    ['empty', { outputTokens: 0 }, /empty/],
    ['distorted', { distorted: true }, /top-p/],
    ['greedy', { temperature: 0 }, /temperature 0/],
  ])('%s', (_name, over, expected) => {
    const reason = unfitReason(turn(0, over));
    if (expected === null) expect(reason).toBeNull();
    else expect(reason).toMatch(expected);
  });
});

describe('planEpisodes', () => {
  it('γ 0: each rated answer is its own episode in the session group', () => {
    const plan = planEpisodes(session(0), [turn(0, { reward: 1 }), turn(1), turn(2, { reward: -1 })]);
    expect(plan.episodes).toEqual([
      { id: 's/i0', groupId: 'g', reward: 1, rows: [{ interactionId: 'i0', reward: 1, originalReward: 1 }] },
      { id: 's/i2', groupId: 'g', reward: -1, rows: [{ interactionId: 'i2', reward: -1, originalReward: -1 }] },
    ]);
  });

  it('γ > 0: the session is one episode with the return of its first turn, up to the last rating', () => {
    const plan = planEpisodes(session(0.5), [turn(0), turn(1, { reward: 1 }), turn(2)]);
    expect(plan.episodes).toEqual([
      {
        id: 's',
        groupId: 'g',
        reward: 0.5,
        rows: [
          { interactionId: 'i0', reward: 0.5, originalReward: null },
          { interactionId: 'i1', reward: 1, originalReward: 1 },
        ],
      },
    ]);
  });

  it('γ > 0: the first turn counts for the episode reward even when its own tokens cannot be trained', () => {
    const plan = planEpisodes(session(1), [turn(0, { distorted: true, reward: 1 }), turn(1, { reward: 1 })]);
    expect(plan.episodes.map((episode) => [episode.reward, episode.rows.length])).toEqual([[2, 1]]);
    expect(plan.excluded.map((e) => e.interactionId)).toEqual(['i0']);
  });

  it('tells the rater that an unusable answer still gives credit to earlier turns', () => {
    const plan = planEpisodes(session(1), [turn(0), turn(1, { temperature: 0, reward: 1 })]);
    expect(plan.episodes[0]?.rows).toHaveLength(1);
    expect(plan.excluded[0]?.reason).toMatch(/earlier turns/);
  });

  it.each([
    ['an open session', session(0, 'open'), [turn(0, { reward: 1 })]],
    ['an unrated session', session(1), [turn(0), turn(1)]],
    ['a rating that a batch holds', session(0), [turn(0, { reward: 1, closed: 'batch' })]],
    ['γ > 0 while an answer still runs', session(1), [turn(0, { reward: 1 }), turn(1, { state: 'running' })]],
  ])('yields nothing for %s', (_name, facts, turns) => {
    expect(planEpisodes(facts, turns)).toEqual({ episodes: [], excluded: [] });
  });

  it('γ > 0: a dropped turn stays part of the same episode', () => {
    const turns = [turn(0, { reward: 1, closed: 'dropped' }), turn(1, { reward: 1 })];
    expect(planEpisodes(session(1), turns).episodes).toMatchObject([{ id: 's', reward: 2, rows: [{ reward: 1 }] }]);
  });

  it('γ > 0: turns rated after the first batch form a second episode without its rewards', () => {
    const turns = [turn(0, { reward: 1, closed: 'batch' }), turn(1), turn(2, { reward: 3 })];
    const [late] = planEpisodes(session(1), turns).episodes;
    expect(late).toMatchObject({ id: 's/i1', reward: 3 });
    expect(late?.rows.map((row) => row.reward)).toEqual([3, 3]);
  });
});
