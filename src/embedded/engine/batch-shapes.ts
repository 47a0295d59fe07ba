/**
 * The few shapes that steps are compiled for. Compiling takes 0.2–0.7 s each, so sizes are rounded up to these.
 * Small batches get small shapes: one chat must not pay for 32 rows.
 */
export interface BatchShapes {
  readonly rows: readonly number[];
  readonly capacities: readonly number[];
  readonly prefills: readonly number[];
}

export function batchShapes(maxRunning: number, contextLength: number): BatchShapes {
  return {
    rows: upTo([1, 8, 32], maxRunning),
    capacities: upTo([32, 64, 128, 256, 512, 1024, 2048], inFours(contextLength)),
    prefills: upTo([32, 64, 128, 256, 512, 1024, 2048], inFours(contextLength)),
  };
}

/** Smallest size that holds `needed`; sizes ascend. */
export function fitSize(sizes: readonly number[], needed: number): number {
  const size = sizes.find((candidate) => candidate >= needed);
  if (size === undefined)
    throw new Error(`${needed} does not fit the largest compiled size ${sizes[sizes.length - 1]}`);
  return size;
}

/** Sums along a cache are vectorised only over multiples of four; every size must take the same loop (see fixed-order). */
function inFours(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function upTo(sizes: readonly number[], limit: number): number[] {
  return [...sizes.filter((size) => size < limit), limit];
}
