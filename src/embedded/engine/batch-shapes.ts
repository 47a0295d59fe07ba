/**
 * The few shapes that batches take. Kernels are compiled for each number of rows, of a batch or of a prompt, so these are rounded up.
 * Small batches get small shapes: one chat must not pay for 32 rows. No shape has more than `maxTokens` cached positions, which is
 * what bounds the engine's memory: where that is not enough for all, the youngest requests wait.
 */
export interface BatchShapes {
  readonly capacities: readonly number[];
  readonly prefills: readonly number[];
  /** cached positions of the largest shape, rows × capacity */
  readonly maxTokens: number;
  readonly maxRunning: number;
}

/** Keys and values of a batch take at most this much. */
const DEFAULT_CACHE_BYTES = 16 * 2 ** 20;
const LENGTHS = [32, 64, 128, 256, 512, 1024, 2048];

export interface ShapeLimits {
  readonly maxRunning: number;
  readonly contextLength: number;
  /** of keys and values, all layers */
  readonly bytesPerToken: number;
  /** null: what the default number of bytes holds */
  readonly maxTotalTokens: number | null;
}

export function batchShapes({ maxRunning, contextLength, bytesPerToken, maxTotalTokens }: ShapeLimits): BatchShapes {
  const lengths = upTo(LENGTHS, contextLength);
  const budget = maxTotalTokens ?? Math.floor(DEFAULT_CACHE_BYTES / bytesPerToken);
  // one request of full length always fits: the oldest can always go on
  const maxTokens = Math.max(contextLength, Math.min(budget, maxRunning * contextLength));
  return { capacities: lengths, prefills: lengths, maxTokens, maxRunning };
}

/** Numbers of rows that a batch of a capacity may have, ascending. */
export function rowSizes({ maxRunning, maxTokens }: BatchShapes, capacity: number): readonly number[] {
  return upTo([1, 8, 32], Math.min(maxRunning, Math.floor(maxTokens / capacity)));
}

/** Whether some shape holds `count` rows of up to `positions` positions. */
export function isWithinBudget(shapes: BatchShapes, count: number, positions: number): boolean {
  const sizes = rowSizes(shapes, fitSize(shapes.capacities, positions));
  return count <= (sizes[sizes.length - 1] ?? 0);
}

/** Smallest size that holds `needed`; sizes ascend. */
export function fitSize(sizes: readonly number[], needed: number): number {
  const size = sizes.find((candidate) => candidate >= needed);
  if (size === undefined)
    throw new Error(`${needed} does not fit the largest compiled size ${sizes[sizes.length - 1]}`);
  return size;
}

function upTo(sizes: readonly number[], limit: number): number[] {
  return [...sizes.filter((size) => size < limit), limit];
}
