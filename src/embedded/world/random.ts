/** A source of numbers in [0, 1); seeded, so that every corpus can be made again. */
export type Random = () => number;

/** mulberry32, a small public-domain generator: good enough for a corpus, the same on every machine. */
export function seededRandom(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => scramble((mixed ^ seed) + 0x9e3779b9), 0x2545f491);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return (scramble(state) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[Math.floor(random() * choices.length)];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}

/** Integer from low to high, both included. */
export function integer(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** Picks by relative weight. */
export function weighted<T>(random: Random, choices: readonly (readonly [T, number])[]): T {
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  return choices[choices.length - 1]![0];
}

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), 1 | value);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return mixed ^ (mixed >>> 14);
}
