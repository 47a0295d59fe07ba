import { describe, expect, it } from 'vitest';
import { algorithmSchema } from '../../shared/wire/trainer';
import { dataMetrics } from './batch-metrics';
import type { SpoolData } from './spool';
import { buildTrainingBatch, hasNoSignal } from './training-batch';

const DEFAULTS = algorithmSchema.parse({});

interface Row {
  readonly session: number;
  readonly mask: readonly number[];
  readonly behave?: readonly number[];
  readonly versions?: readonly number[];
  readonly temperature?: number;
  readonly flags?: number;
}

function makeData(rewards: readonly number[], groups: readonly number[], rows: readonly Row[]): SpoolData {
  const offsets = [0];
  for (const row of rows) offsets.push(offsets.at(-1)! + row.mask.length);
  return {
    inputIds: Int32Array.from(rows.flatMap((row, r) => row.mask.map((_, t) => r * 10 + t))),
    lossMask: Uint8Array.from(rows.flatMap((row) => row.mask)),
    behaveLogprob: Float32Array.from(rows.flatMap((row) => row.behave ?? row.mask.map(() => -1))),
    version: Int32Array.from(rows.flatMap((row) => row.versions ?? row.mask.map(() => 7))),
    cuSeqlens: Int32Array.from(offsets),
    rowSession: Int32Array.from(rows.map((row) => row.session)),
    rowTemperature: Float32Array.from(rows.map((row) => row.temperature ?? 1)),
    rowFlags: Uint8Array.from(rows.map((row) => row.flags ?? 0)),
    sessionReward: Float32Array.from(rewards),
    sessionGroup: Int32Array.from(groups),
  };
}

describe('buildTrainingBatch', () => {
  it('gives every row of an episode its advantage and its share, however many rows it has', () => {
    const data = makeData(
      [1, -1],
      [0, 1],
      [
        { session: 0, mask: [0, 1, 1] },
        { session: 1, mask: [0, 0, 1, 1, 1] },
        { session: 1, mask: [0, 1] },
      ],
    );
    const { rows, advantages } = buildTrainingBatch(data, DEFAULTS, 7);
    expect(advantages).toEqual([2, -2]);
    expect(rows.map((row) => row.advantage)).toEqual([2, -2, -2]);
    expect(rows.map((row) => row.weight)).toEqual([1 / 4, 1 / 8, 1 / 8]);
    expect(rows.map((row) => [...row.ids])).toEqual([
      [0, 1, 2],
      [10, 11, 12, 13, 14],
      [20, 21],
    ]);
  });

  it('leaves out rows that no ratio describes, before the weights are shared out', () => {
    const data = makeData(
      [1, 0, 1],
      [0, 1, 2],
      [
        { session: 0, mask: [0, 1] },
        { session: 1, mask: [0, 1], flags: 2 },
        { session: 2, mask: [0, 1], temperature: 0 },
      ],
    );
    const { rows, counts, dropped } = buildTrainingBatch(data, DEFAULTS, 7);
    expect(rows.map((row) => [row.session, row.weight])).toEqual([[0, 1]]);
    expect(counts).toMatchObject({ distortedRows: 2, sampledTokens: 3, eligibleTokens: 1 });
    expect(dropped).toEqual([
      { row: 1, reason: 'distorted' },
      { row: 2, reason: 'distorted' },
    ]);
  });

  it('masks old tokens after the weights are shared out, so that the others do not grow heavier', () => {
    const data = makeData(
      [1, 0],
      [0, 1],
      [
        { session: 0, mask: [0, 1, 1, 1], versions: [-1, 2, 3, 7] },
        { session: 1, mask: [0, 1, 1], versions: [-1, 1, 1] },
      ],
    );
    const { rows, counts } = buildTrainingBatch(data, DEFAULTS, 7);
    expect(rows.map((row) => [row.session, [...row.mask], row.weight])).toEqual([[0, [0, 0, 1, 1], 1 / 6]]);
    expect(counts).toMatchObject({ staleTokens: 3, staleRows: 1 });
    expect(dataMetrics(buildTrainingBatch(data, DEFAULTS, 7), 7)).toMatchObject({
      'version/head_min': 1,
      'version/tail_max': 7,
      'version/staleness_max': 6,
      'version/tokens_masked_stale': 3,
      'version/rows_dropped': 1,
    });
  });

  it('masks and counts tokens whose log-probability is not finite, and the first token, which nothing predicts', () => {
    const behave = [0, Number.NaN, -1, Number.NEGATIVE_INFINITY];
    const data = makeData(
      [1, 0],
      [0, 1],
      [
        { session: 0, mask: [1, 1, 1, 1], behave },
        { session: 1, mask: [0, 1] },
      ],
    );
    const { rows, counts } = buildTrainingBatch(data, DEFAULTS, 7);
    expect([...rows[0]!.mask]).toEqual([0, 0, 1, 0]);
    expect(counts).toMatchObject({ nonfiniteTokens: 2, eligibleTokens: 4 });
  });

  it('names every row that it leaves out, with the reason', () => {
    const data = makeData(
      [1, 0, 1, 0],
      [0, 1, 2, 3],
      [
        { session: 0, mask: [0, 1], versions: [-1, 1] },
        { session: 1, mask: [0, 1], behave: [0, Number.NaN] },
        { session: 2, mask: [0, 0] },
        { session: 3, mask: [0, 1] },
      ],
    );
    const { rows, dropped } = buildTrainingBatch(data, DEFAULTS, 7);
    expect(rows.map(({ row }) => row)).toEqual([3]);
    expect(dropped).toEqual([
      { row: 0, reason: 'stale' },
      { row: 1, reason: 'not_finite' },
      { row: 2, reason: 'empty' },
    ]);
  });

  it.each([
    ['equal rewards say nothing', [0.1, 0.1, 0.1], [0, 0, 1], 'batch_loo', true],
    ['one rating has nothing to be compared with', [1], [0], 'batch_loo', true],
    ['groups of equal rewards say nothing to a group rule', [1, 1, 0, 0], [0, 0, 1, 1], 'grpo', true],
    ['but they do to a batch rule', [1, 1, 0, 0], [0, 0, 1, 1], 'batch_loo', false],
  ] as const)('%s', (_reason, rewards, groups, baseline, expected) => {
    const rows = rewards.map((_, session) => ({ session, mask: [0, 1] }));
    const batch = buildTrainingBatch(makeData(rewards, groups, rows), { ...DEFAULTS, baseline }, 7);
    expect(hasNoSignal(batch)).toBe(expected);
  });
});

describe('dataMetrics', () => {
  it('describes rewards over episodes and counts over rows', () => {
    const data = makeData(
      [1, 0, 1, 1],
      [0, 0, 1, 1],
      [
        { session: 0, mask: [0, 1], flags: 1 },
        { session: 1, mask: [0, 1] },
        { session: 2, mask: [0, 1] },
        { session: 2, mask: [0, 1] },
        { session: 3, mask: [0, 0, 1] },
      ],
    );
    expect(dataMetrics(buildTrainingBatch(data, DEFAULTS, 7), 7)).toMatchObject({
      'reward/mean': 0.75,
      'reward/std': 0.5,
      'reward/n_zero_var_groups': 1,
      'data/sessions': 4,
      'data/rows': 5,
      'data/groups': 2,
      'data/mean_turns': 1.25,
      'data/truncated_fraction': 0.2,
      'tokens/total': 11,
      'tokens/trainable': 5,
      'tokens/prompt': 6,
      'loss_weight/max': 0.25,
      'loss_weight/singleton_groups': 0,
    });
  });
});
