import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketLength, packMicrobatches } from './microbatches';
import type { TrainingRow } from './training-batch';

const VERSION = 9;

/** A row whose token t is the number `first + t`, so that it can be found again. */
function makeRow(length: number, first: number, change: Partial<TrainingRow> = {}): TrainingRow {
  return {
    row: 0,
    session: 0,
    ids: Int32Array.from({ length }, (_, t) => first + t),
    mask: Uint8Array.from({ length }, (_, t) => (t >= 2 ? 1 : 0)),
    behave: Float32Array.from({ length }, (_, t) => -t / 8),
    versions: new Int32Array(length).fill(VERSION - 2),
    temperature: 1,
    weight: 0.25,
    advantage: 1.5,
    ...change,
  };
}

describe('packMicrobatches', () => {
  it('lets position t read token t and be judged on token t + 1, with that token’s own numbers', () => {
    const [part, ...rest] = packMicrobatches([makeRow(4, 100, { temperature: 0.5 })], VERSION);
    expect(rest).toEqual([]);
    const { inputs, ages, positions } = part!;
    expect([inputs.rows, inputs.length, positions]).toEqual([16, 48, 3]);
    expect([...inputs.ids.subarray(0, 5)]).toEqual([100, 101, 102, 0, 0]);
    expect([...inputs.targets.subarray(0, 5)]).toEqual([101, 102, 103, 0, 0]);
    expect([...inputs.weights.subarray(0, 5)]).toEqual([0, 0.25, 0.25, 0, 0]);
    expect([...inputs.advantages.subarray(0, 5)]).toEqual([0, 1.5, 1.5, 0, 0]);
    expect([...inputs.behave.subarray(0, 5)]).toEqual([0, -0.25, -0.375, 0, 0]);
    expect([...ages.subarray(0, 5)]).toEqual([-1, 2, 2, -1, -1]);
    expect([...inputs.temperatures.subarray(0, 2)]).toEqual([0.5, 1]);
    expect(inputs.weights.reduce((sum, weight) => sum + weight, 0)).toBe(0.5);
  });

  it.each([
    ['short rows share one pass', [10, 40, 49], [[16, 48]]],
    ['a longer row joins while all of them fit', [10, 10, 60], [[12, 64]]],
    [
      'a longer row gets a pass of its own when they do not',
      [...Array<number>(12).fill(10), 90],
      [
        [16, 48],
        [8, 96],
      ],
    ],
    ['a very long row is alone', [300], [[1, 512]]],
    [
      'many rows need many passes',
      Array<number>(33).fill(20),
      [
        [16, 48],
        [16, 48],
        [16, 48],
      ],
    ],
  ])('%s', (_reason, lengths, shapes) => {
    const parts = packMicrobatches(
      lengths.map((length) => makeRow(length, 0)),
      VERSION,
    );
    expect(parts.map(({ inputs }) => [inputs.rows, inputs.length])).toEqual(shapes);
  });

  it('gives every row of any batch to exactly one pass, whole, and the same passes every time', () => {
    const lengths = fc.array(fc.integer({ min: 2, max: 300 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lengths, (sizes) => {
        const rows = sizes.map((length, i) => makeRow(length, 1 + i * 1000));
        const parts = packMicrobatches(rows, VERSION);
        const targets = parts
          .flatMap(({ inputs }) => [...inputs.targets].filter((id) => id !== 0))
          .sort((a, b) => a - b);
        expect(targets).toEqual(rows.flatMap((row) => [...row.ids.subarray(1)]).sort((a, b) => a - b));
        for (const { inputs } of parts) expect(inputs.ids).toHaveLength(inputs.rows * inputs.length);
        expect(packMicrobatches(rows, VERSION)).toEqual(parts);
      }),
      { numRuns: 15 },
    );
  });
});

describe('bucketLength', () => {
  it.each([
    [1, 48],
    [48, 48],
    [49, 64],
    [65, 96],
    [129, 192],
    [256, 256],
    [257, 512],
    [513, 768],
  ])('%i positions take %i', (positions, length) => {
    expect(bucketLength(positions)).toBe(length);
  });
});
