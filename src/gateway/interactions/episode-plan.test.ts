import { describe, expect, it } from 'vitest';
import { NOT_RATED, planEpisodes, unfitReason } from './episode-plan';
import { aSession, aTurn, continues } from './testing/session-turns';

describe('unfitReason', () => {
  it.each([
    ['finished', {}, null],
    ['running', { state: 'running' as const }, /never finished/],
    ['interrupted', { state: 'interrupted' as const }, /never finished/],
    ['failed', { state: 'failed' as const }, /never finished/],
    ['empty', { outputTokens: 0 }, /empty/],
    ['distorted', { distorted: true }, /top-p/],
    ['greedy', { temperature: 0 }, /temperature 0/],
    ['unsound', { untrainable: 'a log-probability is not finite' }, /not sound: a log-probability/],
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

  it.each([
    ['taken or waited for by a trainer outside', { isExternal: true }],
    ['still open', { state: 'open' as const, endReason: null }],
  ])('yields nothing of a session %s, and drops nothing', (_name, over) => {
    expect(planEpisodes(aSession(over), [aTurn(0, { reward: 1 })])).toEqual({ episodes: [], excluded: [] });
  });

  it('drops every rating of an aborted session with that reason', () => {
    const plan = planEpisodes(aSession({ endReason: 'abort' }), [aTurn(0, { reward: 1 }), aTurn(1)]);
    expect(plan).toEqual({
      episodes: [],
      excluded: [{ interactionId: 'i0', reason: expect.stringMatching(/aborted/) }],
    });
  });

  it('leaves a replaced answer out before anything is discounted, and tells its rater', () => {
    const turns = [aTurn(0, { isReplaced: true, reward: 5 }), aTurn(1, { reward: 1 }), aTurn(2, { reward: 2 })];
    const plan = planEpisodes(aSession(), turns);
    expect(plan.episodes).toMatchObject([{ id: 's', reward: 3, rows: [{ reward: 3 }, { reward: 2 }] }]);
    expect(plan.excluded).toEqual([{ interactionId: 'i0', reason: expect.stringMatching(/retry/) }]);
  });

  it('keeps an unsound answer out of training while its rating counts for earlier turns', () => {
    const turns = [aTurn(0), aTurn(1, { untrainable: 'lengths differ', reward: 1 })];
    const plan = planEpisodes(aSession(), turns);
    expect(plan.episodes).toMatchObject([{ rows: [{ interactionId: 'i0', reward: 1 }] }]);
    expect(plan.excluded[0]?.reason).toMatch(/not sound: lengths differ; the rating still counts/);
  });
});

describe('planEpisodes with the policy', () => {
  const turns = [aTurn(0), aTurn(1, { reward: 1 }), aTurn(2), aTurn(3, { state: 'failed' })];
  const planned = (turnDiscount: number, unratedPolicy: 'hold' | 'drop' | 'zero', of = turns) => {
    const { episodes, excluded } = planEpisodes(aSession({ turnDiscount, unratedPolicy }), of);
    const rows = episodes.flatMap((episode) => episode.rows);
    return {
      rows: rows.map((row) => [row.interactionId, row.reward, row.originalReward]),
      excluded: excluded.map(({ interactionId, reason }) => [interactionId, reason]),
    };
  };

  it.each([
    [
      'hold',
      1,
      [
        ['i0', 1, null],
        ['i1', 1, 1],
      ],
      [],
    ],
    ['hold', 0, [['i1', 1, 1]], []],
    [
      'drop',
      1,
      [
        ['i0', 1, null],
        ['i1', 1, 1],
      ],
      [['i2', NOT_RATED]],
    ],
    [
      'drop',
      0,
      [['i1', 1, 1]],
      [
        ['i0', NOT_RATED],
        ['i2', NOT_RATED],
      ],
    ],
    [
      'zero',
      1,
      [
        ['i0', 1, null],
        ['i1', 1, 1],
        ['i2', 0, null],
      ],
      [],
    ],
    [
      'zero',
      0,
      [
        ['i0', 0, null],
        ['i1', 1, 1],
        ['i2', 0, null],
      ],
      [],
    ],
  ] as const)('%s and γ %d', (policy, gamma, rows, excluded) => {
    expect(planned(gamma, policy)).toEqual({ rows, excluded });
  });

  it('zero trains a session that nobody rated, raw values staying null', () => {
    expect(planned(1, 'zero', [aTurn(0), aTurn(1)])).toEqual({
      rows: [
        ['i0', 0, null],
        ['i1', 0, null],
      ],
      excluded: [],
    });
  });

  it('zero leaves out what cannot be trained and what a retry left behind', () => {
    const odd = [
      aTurn(0, { distorted: true }),
      aTurn(1, { isUndelivered: true, requestKey: 'k' }),
      aTurn(2, { requestKey: 'k' }),
    ];
    expect(planned(0, 'zero', odd)).toEqual({ rows: [['i2', 0, null]], excluded: [] });
  });
});

describe('planEpisodes with the tree discount', () => {
  // 0 ─ 1 ┬ 2 ─ 3
  //       └ 4
  const turns = [
    aTurn(0),
    aTurn(1, continues(0)),
    aTurn(2, continues(1)),
    aTurn(3, { ...continues(2), reward: 1 }),
    aTurn(4, { ...continues(1), reward: -1 }),
  ];

  it('makes an episode of each unbranched stretch, so that branches can be told apart', () => {
    const { episodes } = planEpisodes(aSession({ turnDiscount: 0.5, discountMode: 'tree' }), turns);
    expect(episodes.map(({ id, reward, rows }) => [id, reward, rows.map((row) => row.reward)])).toEqual([
      ['s', -0.0625, [-0.0625, -0.125]],
      ['s/i2', 0.5, [0.5, 1]],
      ['s/i4', -1, [-1]],
    ]);
  });

  it('is the linear plan on a single chain', () => {
    const chain = [aTurn(0, { reward: 0.25 }), aTurn(1, continues(0)), aTurn(2, { ...continues(1), reward: 1 })];
    const plan = (discountMode: 'tree' | 'linear') =>
      planEpisodes(aSession({ turnDiscount: 0.9, discountMode }), chain);
    expect(plan('tree')).toEqual(plan('linear'));
  });

  it('says that a rating still counts only when an ancestor is trained', () => {
    const odd = [
      aTurn(0, { reward: 1 }),
      aTurn(1, { temperature: 0, reward: 1 }),
      aTurn(2, { ...continues(0), temperature: 0, reward: 1 }),
    ];
    const { excluded } = planEpisodes(aSession({ discountMode: 'tree' }), odd);
    expect(excluded.map(({ reason }) => /earlier turns/.test(reason))).toEqual([false, true]);
  });
});
