import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOldTokens, judgeDrift } from './drift-guard';
import { packMicrobatches } from './microbatches';
import type { TrainingRow } from './training-batch';

const VERSION = 5;
const PROMPT = 2;

/** A row whose sampled tokens have these log-ratios between the weights in training and those that sampled it. */
function makeRow(row: number, logRatios: readonly number[], age = 1): TrainingRow {
  const length = PROMPT + logRatios.length;
  return {
    row,
    session: row,
    ids: Int32Array.from({ length }, (_, t) => t),
    mask: Uint8Array.from({ length }, (_, t) => (t >= PROMPT ? 1 : 0)),
    behave: Float32Array.from({ length }, (_, t) => (t < PROMPT ? 0 : -4 - (logRatios[t - PROMPT] ?? 0))),
    versions: new Int32Array(length).fill(VERSION - age),
    temperature: 1,
    weight: 0.25,
    advantage: 1,
  };
}

function judge(rows: readonly TrainingRow[], limit: number | null = 1) {
  const parts = packMicrobatches(rows, VERSION);
  return judgeDrift(
    parts,
    parts.map(({ inputs }) => new Float32Array(inputs.ids.length).fill(-4)),
    limit,
  );
}

const keptTokens = ({ parts }: ReturnType<typeof judge>) =>
  parts.reduce((sum, { inputs }) => sum + inputs.weights.filter((weight) => weight !== 0).length, 0);

describe('judgeDrift', () => {
  it.each([
    ['nothing has drifted', [[0, 0.5, -0.5]], 1, 3, [], false],
    ['a token that became too likely or too unlikely is left out', [[0, 1.5, -1.5]], 1, 1, [], false],
    [
      'a row without a token left is dropped, the others are not',
      [
        [3, 3],
        [0, 0],
      ],
      1,
      2,
      [[0, 'drift']],
      false,
    ],
    [
      'a row with less than a tenth left is dropped whole',
      [[...Array<number>(10).fill(3), 0], Array<number>(5).fill(0)],
      1,
      5,
      [[0, 'drift']],
      false,
    ],
    ['a row with a tenth left stays', [[...Array<number>(9).fill(3), 0]], 1, 1, [], false],
    [
      'a batch of which hardly anything remains is exhausted',
      [
        [3, 3],
        [3, -3],
      ],
      1,
      0,
      [
        [0, 'drift'],
        [1, 'drift'],
      ],
      true,
    ],
    ['without a limit everything stays', [[9, -9]], null, 2, [], false],
  ] as const)('%s', (_case, rows, limit, kept, dropped, isExhausted) => {
    const verdict = judge(
      rows.map((ratios, row) => makeRow(row, ratios)),
      limit,
    );
    expect(keptTokens(verdict)).toBe(kept);
    expect(verdict.dropped).toEqual(dropped.map(([row, reason]) => ({ row, reason })));
    expect(verdict.isExhausted).toBe(isExhausted);
    expect(verdict.maskedTokens).toBe(rows.flat().length - kept);
  });

  it('takes fresh tokens that the same weights see otherwise for a wrong set-up, not for drift', () => {
    const verdict = judge([makeRow(0, [0.6, 0.6], 0), makeRow(1, [0.2, 0.2], 2)]);
    expect(verdict.dropped).toEqual([{ row: 0, reason: 'mismatch' }]);
    expect(keptTokens(verdict)).toBe(2);
  });

  it('calls a single fresh token that is far off a mismatch, however good the others are', () => {
    const verdict = judge([makeRow(0, [-5], 0), ...Array.from({ length: 60 }, (_, i) => makeRow(i + 1, [0], 0))]);
    expect(verdict.dropped).toEqual([{ row: 0, reason: 'mismatch' }]);
    expect(verdict.farthestFresh).toBeCloseTo(5, 5);
    expect(keptTokens(verdict)).toBe(60);
  });

  it('measures fresh tokens apart from those that may have drifted', () => {
    expect(judge([makeRow(0, [-2, 0.25], 1), makeRow(1, [0.125], 0)]).farthestFresh).toBeCloseTo(0.125, 5);
    expect(judge([makeRow(0, [-2, 0.25], 1)]).farthestFresh).toBeNull();
  });

  it('leaves the judgement of broken weights to the gradient guard', () => {
    const parts = packMicrobatches([makeRow(0, [0, 0])], VERSION);
    const broken = parts.map(({ inputs }) => new Float32Array(inputs.ids.length).fill(Number.NaN));
    expect(judgeDrift(parts, broken, 1)).toMatchObject({ dropped: [], maskedTokens: 0, isExhausted: false });
  });

  it('judges each row by itself: what the others are changes nothing for it', () => {
    const ratios = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ratios, { minLength: 1, maxLength: 6 }), (rows) => {
        const alone = rows.flatMap((row, i) => judge([makeRow(i, row)]).dropped);
        const together = judge(rows.map((row, i) => makeRow(i, row)));
        expect(together.dropped).toEqual(alone);
        for (const { inputs } of together.parts)
          for (const weight of inputs.weights) expect([0, 0.25]).toContain(weight);
      }),
    );
  });
});

describe('hasOldTokens', () => {
  it.each([
    ['all fresh', [0, 0], false],
    ['one old', [0, 1], true],
  ] as const)('%s', (_case, ages, expected) => {
    const rows = ages.map((age, row) => makeRow(row, [0], age));
    expect(hasOldTokens(packMicrobatches(rows, VERSION))).toBe(expected);
  });
});
