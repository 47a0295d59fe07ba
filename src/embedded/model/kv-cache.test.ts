import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheBytesPerToken, KvCache, type StepRows } from './kv-cache';
import type { LlamaConfig } from './llama-config';
import { mulberry32, TINY_CONFIG } from './testing/tiny-checkpoint';

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
  const held = cache.read(row, length);
  return Array.from({ length }, (_, position) => {
    const found = new Set<number>();
    for (const [sign, arrays] of [
      [1, held.keys],
      [-1, held.values],
    ] as const) {
      arrays.forEach((array, layer) => {
        for (let i = 0; i < WIDTH; i++) found.add((sign * array[position * WIDTH + i]! - layer * 100 - i) / 1000);
      });
    }
    expect(found.size).toBe(1);
    return [...found][0]!;
  });
}

/** Softmax attention of one position in float64, head by head. */
function plainAttention(
  { heads, kvHeads, headSize: size }: LlamaConfig,
  queries: Float32Array,
  prefix: readonly { readonly keys: Float32Array; readonly values: Float32Array }[],
): number[] {
  return Array.from({ length: heads * size }, (_, i) => {
    const head = Math.floor(i / size);
    const kvBegin = Math.floor((head * kvHeads) / heads) * size;
    const powers = prefix.map(({ keys }) => {
      let score = 0;
      for (let d = 0; d < size; d++) score += queries[head * size + d]! * keys[kvBegin + d]!;
      return Math.exp(score / Math.sqrt(size));
    });
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.reduce((sum, power, p) => sum + (power * prefix[p]!.values[kvBegin + (i % size)]!) / total, 0);
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

  it.each([
    ['whole vectors', { heads: 4, kvHeads: 4, headSize: 32 }],
    ['groups of queries', { heads: 4, kvHeads: 2, headSize: 8 }],
    ['a head that ends within a vector', { heads: 2, kvHeads: 1, headSize: 6 }],
  ])('attends as plain arithmetic does, to whichever rows it was moved: %s', (_reason, change) => {
    const config = { ...TINY_CONFIG, ...change };
    const random = mulberry32(change.headSize);
    const vector = (size: number) => Float32Array.from({ length: size }, () => 4 * random() - 2);
    const width = config.kvHeads * config.headSize;
    const prefix = Array.from({ length: 13 }, () => ({ keys: vector(width), values: vector(width) }));
    const queries = vector(config.heads * config.headSize);
    const cache = new KvCache(config);
    cache.reshape(2, 16, []);
    const layer = config.layers - 1;
    const own = ({ keys, values }: (typeof prefix)[number]) => ({
      projected: Float32Array.from([...queries, ...keys, ...values]),
      queries: 0,
      keys: queries.length,
      values: queries.length + width,
    });
    prefix.forEach((token, position) => {
      cache.writeProjected(layer, 1, position, own(token));
    });
    cache.reshape(5, 32, [null, null, null, { from: 1, length: 13 }, null]);
    for (const count of [1, 13]) {
      const mixed = new Float32Array(queries.length + 2).fill(7);
      cache.attend(layer, 3, count, own(prefix[count - 1]!), mixed, 1);
      expect([mixed[0], mixed[mixed.length - 1]]).toEqual([7, 7]);
      plainAttention(config, queries, prefix.slice(0, count)).forEach((expected, i) => {
        expect(mixed[1 + i]).toBeCloseTo(expected, 5);
      });
    }
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
  });
});
