import { describe, expect, it } from 'vitest';
import { planEpisodes, unfitReason } from './episode-plan';
import { aSession, aTurn } from './testing/session-turns';

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
    const reason = unfitReason(aTurn(0, over));
    if (expected === null) expect(reason).toBeNull();
    else expect(reason).toMatch(expected);
  });
});

describe('planEpisodes', () => {
  it('γ 0: each rated answer is its own episode in the session group', () => {
    const plan = planEpisodes(aSession({ turnDiscount: 0 }), [
      aTurn(0, { reward: 1 }),
      aTurn(1),
      aTurn(2, { reward: -1 }),
    ]);
    expect(plan.episodes).toEqual([
      { id: 's/i0', groupId: 'g', reward: 1, rows: [{ interactionId: 'i0', reward: 1, originalReward: 1 }] },
      { id: 's/i2', groupId: 'g', reward: -1, rows: [{ interactionId: 'i2', reward: -1, originalReward: -1 }] },
    ]);
  });

  it('γ > 0: the session is one episode with the return of its first turn, up to the last rating', () => {
    const plan = planEpisodes(aSession({ turnDiscount: 0.5 }), [aTurn(0), aTurn(1, { reward: 1 }), aTurn(2)]);
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
    const plan = planEpisodes(aSession({ turnDiscount: 1 }), [
      aTurn(0, { distorted: true, reward: 1 }),
      aTurn(1, { reward: 1 }),
    ]);
    expect(plan.episodes.map((episode) => [episode.reward, episode.rows.length])).toEqual([[2, 1]]);
    expect(plan.excluded.map((e) => e.interactionId)).toEqual(['i0']);
  });

  it('tells the rater that an unusable answer still gives credit to earlier turns', () => {
    const plan = planEpisodes(aSession({ turnDiscount: 1 }), [aTurn(0), aTurn(1, { temperature: 0, reward: 1 })]);
    expect(plan.episodes[0]?.rows).toHaveLength(1);
    expect(plan.excluded[0]?.reason).toMatch(/earlier turns/);
  });

  it.each([
    ['an open session', aSession({ turnDiscount: 0, state: 'open', endReason: null }), [aTurn(0, { reward: 1 })]],
    ['an unrated session', aSession({ turnDiscount: 1 }), [aTurn(0), aTurn(1)]],
    ['a rating that a batch holds', aSession({ turnDiscount: 0 }), [aTurn(0, { reward: 1, closed: 'batch' })]],
    [
      'γ > 0 while an answer still runs',
      aSession({ turnDiscount: 1 }),
      [aTurn(0, { reward: 1 }), aTurn(1, { state: 'running' })],
    ],
  ])('yields nothing for %s', (_name, facts, turns) => {
    expect(planEpisodes(facts, turns)).toEqual({ episodes: [], excluded: [] });
  });

  it('γ > 0: a dropped turn stays part of the same episode', () => {
    const turns = [aTurn(0, { reward: 1, closed: 'dropped' }), aTurn(1, { reward: 1 })];
    expect(planEpisodes(aSession({ turnDiscount: 1 }), turns).episodes).toMatchObject([
      { id: 's', reward: 2, rows: [{ reward: 1 }] },
    ]);
  });

  it('γ > 0: turns rated after the first batch form a second episode without its rewards', () => {
    const turns = [aTurn(0, { reward: 1, closed: 'batch' }), aTurn(1), aTurn(2, { reward: 3 })];
    const [late] = planEpisodes(aSession({ turnDiscount: 1 }), turns).episodes;
    expect(late).toMatchObject({ id: 's/i1', reward: 3 });
    expect(late?.rows.map((row) => row.reward)).toEqual([3, 3]);
  });
});
