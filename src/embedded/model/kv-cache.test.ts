import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheBytesPerToken, KvCache, type StepRows } from './kv-cache';
import { TINY_CONFIG } from './testing/tiny-checkpoint';

const { layers, kvHeads, headSize } = TINY_CONFIG;
const WIDTH = kvHeads * headSize;

/** Rows of a step whose every number tells which token it belongs to. */
function stepOf(tokens: readonly number[]): StepRows {
  const layer = (sign: number, index: number) =>
    Float32Array.from(
      { length: tokens.length * WIDTH },
      (_, i) => sign * (tokens[Math.floor(i / WIDTH)]! * 1000 + index * 100 + (i % WIDTH)),
    );
  const all = (sign: number) => Array.from({ length: layers }, (_, index) => layer(sign, index));
  return { rows: tokens.length, keys: all(1), values: all(-1) };
}

/** The tokens that a row holds, read back from every layer and head; throws where they disagree. */
function tokensOf(cache: KvCache, row: number, length: number): number[] {
  return Array.from({ length }, (_, position) => {
    const found = new Set<number>();
    for (const [sign, arrays] of [
      [1, cache.keys],
      [-1, cache.values],
    ] as const) {
      arrays.forEach((array, layer) => {
        for (let i = 0; i < WIDTH; i++) {
          const head = Math.floor(i / headSize);
          const at = ((row * kvHeads + head) * cache.capacity + position) * headSize + (i % headSize);
          found.add((sign * array[at]! - layer * 100 - i) / 1000);
        }
      });
    }
    expect(found.size).toBe(1);
    return [...found][0]!;
  });
}

describe('KvCache', () => {
  it('keeps what each row holds through any sequence of writes, moves and changes of shape', () => {
    const change = fc.record({
      rows: fc.integer({ min: 1, max: 5 }),
      capacity: fc.integer({ min: 6, max: 20 }),
      order: fc.infiniteStream(fc.nat()),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const cache = new KvCache(TINY_CONFIG);
        cache.reshape(3, 6, []);
        let held: (number[] | null)[] = [[], null, []];
        let next = 1;
        for (const { rows, capacity, order } of [...changes]) {
          held.forEach((tokens, row) => {
            if (tokens === null || tokens.length >= cache.capacity) return;
            cache.write(row, tokens.length, stepOf([0, next, 0]), 1, 1);
            tokens.push(next++);
          });
          const alive = held.flatMap((tokens, from) =>
            tokens !== null && tokens.length <= capacity ? [{ from, tokens }] : [],
          );
          const shuffled = alive
            .map((entry) => ({ entry, key: order.next().value! }))
            .sort((a, b) => a.key - b.key)
            .slice(0, rows);
          const placed = Array.from({ length: rows }, (_, row) => shuffled[row]?.entry ?? null);
          cache.reshape(
            rows,
            capacity,
            placed.map((entry) => entry && { from: entry.from, length: entry.tokens.length }),
          );
          held = placed.map((entry) => entry?.tokens ?? null);
          held.forEach((tokens, row) => {
            if (tokens !== null) expect(tokensOf(cache, row, tokens.length)).toEqual(tokens);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('writes several positions of a prompt at once', () => {
    const cache = new KvCache(TINY_CONFIG);
    cache.reshape(2, 8, []);
    cache.write(1, 0, stepOf([1, 2]), 0, 2);
    cache.write(1, 2, stepOf([5, 6, 7, 8]), 1, 3);
    expect(tokensOf(cache, 1, 5)).toEqual([1, 2, 6, 7, 8]);
  });

  it('takes no more memory than its largest shape, and none before the first', () => {
    const cache = new KvCache(TINY_CONFIG);
    expect(cache.sizeBytes).toBe(0);
    for (const [rows, capacity] of [
      [2, 8],
      [8, 8],
      [1, 32],
      [2, 16],
      [8, 8],
    ] as const)
      cache.reshape(rows, capacity, []);
    expect(cache.sizeBytes).toBe(64 * cacheBytesPerToken(TINY_CONFIG));
    expect(cache.keys[0]).toHaveLength(64 * WIDTH);
  });

  it('clears one row and leaves its neighbours', () => {
    const cache = new KvCache(TINY_CONFIG);
    cache.reshape(2, 4, []);
    cache.write(0, 0, stepOf([3]), 0, 1);
    cache.write(1, 0, stepOf([Number.NaN]), 0, 1);
    cache.clear(1);
    expect(tokensOf(cache, 0, 1)).toEqual([3]);
    expect([...cache.keys, ...cache.values].every((array) => array.every(Number.isFinite))).toBe(true);
  });
});
