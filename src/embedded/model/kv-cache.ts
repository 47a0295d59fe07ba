import { type AttentionKernels, attentionKernels } from './attention-kernels';
import type { LlamaConfig } from './llama-config';
import { newMemory, PAGE_BYTES, type WasmMemory } from './wasm-module';

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** floats that a kernel takes at once */
const VECTOR = 4;

/** Where one row's queries, keys and values begin in an array of projections; heads follow one another. */
export interface ProjectedRow {
  readonly projected: Float32Array;
  readonly queries: number;
  readonly keys: number;
  readonly values: number;
}

/**
 * Keys and values of all running sequences, and attention over them where they lie: copying a padded cache to the tensor library takes
 * longer than to compute on the used part in place. Per layer two arrays `[rows, kvHeads, capacity, headSize]`, in a WebAssembly
 * memory of its own; unused positions hold leftovers, which nobody reads. A row's attention depends on its own positions alone,
 * bit for bit. The memory only ever grows, to the largest shape so far.
 */
export class KvCache {
  readonly #config: LlamaConfig;
  readonly #memory: WasmMemory = newMemory();
  readonly #kernels: AttentionKernels = attentionKernels(this.#memory);
  /** of one head, padded with zeros to whole vectors */
  readonly #headFloats: number;
  /** the memory: a query, what is mixed for it, scores, then keys and values of each layer */
  #floats = new Float32Array();
  #rows = 0;
  #capacity = 0;
  /** of one layer's keys or values, in the largest shape so far */
  #arrayFloats = 0;
  #scratch = new Float32Array();

  constructor(config: LlamaConfig) {
    this.#config = config;
    this.#headFloats = Math.ceil(config.headSize / VECTOR) * VECTOR;
  }

  get rows(): number {
    return this.#rows;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get sizeBytes(): number {
    return 2 * this.#config.layers * this.#arrayFloats * FLOAT_BYTES;
  }

  /**
   * Changes the shape; row i of the new layout takes `length` positions from the old row `moves[i].from`.
   * Does nothing when the shape stays and every row stays where it is.
   */
  reshape(rows: number, capacity: number, moves: readonly (RowMove | null)[]): void {
    const isSame = rows === this.#rows && capacity === this.#capacity;
    if (isSame && moves.every((move, to) => move === null || move.from === to)) return;
    const before = { capacity: this.#capacity, used: this.#rows * this.#rowFloats, arrayFloats: this.#arrayFloats };
    this.#rows = rows;
    this.#capacity = capacity;
    this.#arrayFloats = Math.max(before.arrayFloats, rows * this.#rowFloats);
    this.#growTo(this.#start(2 * this.#config.layers));
    // at its new place an array overlaps its own old place and those of later arrays, never those of earlier ones
    for (let array = 2 * this.#config.layers - 1; array >= 0; array--) {
      const start = this.#start(0) + array * before.arrayFloats;
      this.#rearrange(array, this.#copied(start, before.used), before.capacity, moves);
    }
  }

  /** Takes `count` rows, beginning with row `from`, as positions `start …` of one row here. */
  write(row: number, start: number, source: StepRows, from: number, count: number): void {
    const width = this.#config.kvHeads * this.#config.headSize;
    for (let layer = 0; layer < this.#config.layers; layer++) {
      for (let i = 0; i < count; i++) {
        const begin = (from + i) * width;
        this.#writeHeads(2 * layer, row, start + i, item(source.keys, layer), begin);
        this.#writeHeads(2 * layer + 1, row, start + i, item(source.values, layer), begin);
      }
    }
  }

  /** A copy of the first `count` positions of a row, as `write` takes them. */
  read(row: number, count: number): StepRows {
    const { layers, kvHeads, headSize } = this.#config;
    const copy = (array: number) => {
      const into = new Float32Array(count * kvHeads * headSize);
      for (let i = 0; i < count * kvHeads; i++) {
        const start = this.#start(array, row, i % kvHeads, Math.floor(i / kvHeads));
        into.set(this.#floats.subarray(start, start + headSize), i * headSize);
      }
      return into;
    };
    const all = Array.from({ length: layers }, (_, layer) => layer);
    return {
      rows: count,
      keys: all.map((layer) => copy(2 * layer)),
      values: all.map((layer) => copy(2 * layer + 1)),
    };
  }

  /** Takes one layer's keys and values of one position. */
  writeProjected(layer: number, row: number, position: number, { projected, keys, values }: ProjectedRow): void {
    this.#writeHeads(2 * layer, row, position, projected, keys);
    this.#writeHeads(2 * layer + 1, row, position, projected, values);
  }

  /** Attention of a row's queries over its first `count` positions, written to `mixed` from `begin` on, head by head. */
  attend(layer: number, row: number, count: number, from: ProjectedRow, mixed: Float32Array, begin: number): void {
    const { heads, kvHeads, headSize } = this.#config;
    const floats = this.#floats;
    const headFloats = this.#headFloats;
    const headBytes = headFloats * FLOAT_BYTES;
    const scale = headSize ** -0.5;
    const scoresAt = 2 * headFloats;
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor((head * kvHeads) / heads);
      const queries = from.queries + head * headSize;
      for (let i = 0; i < headSize; i++) floats[i] = (from.projected[queries + i] as number) * scale;
      const keys = this.#start(2 * layer, row, kvHead) * FLOAT_BYTES;
      this.#kernels.score(0, keys, headBytes, headBytes, count, scoresAt * FLOAT_BYTES);
      const total = exponentiate(floats, scoresAt, count);
      floats.fill(0, headFloats, 2 * headFloats);
      const values = this.#start(2 * layer + 1, row, kvHead) * FLOAT_BYTES;
      this.#kernels.mix(scoresAt * FLOAT_BYTES, values, headBytes, headBytes, count, headBytes);
      const target = begin + head * headSize;
      for (let i = 0; i < headSize; i++) mixed[target + i] = (floats[headFloats + i] as number) / total;
    }
  }

  get #rowFloats(): number {
    return this.#config.kvHeads * this.#capacity * this.#headFloats;
  }

  /** Where a vector begins; arrays are numbered 2 · layer for keys, 2 · layer + 1 for values. */
  #start(array: number, row = 0, head = 0, position = 0): number {
    const first = 2 * this.#headFloats + Math.ceil(this.#config.maxPositions / VECTOR) * VECTOR;
    const vector = (row * this.#config.kvHeads + head) * this.#capacity + position;
    return first + array * this.#arrayFloats + vector * this.#headFloats;
  }

  #growTo(floats: number): void {
    const missing = floats * FLOAT_BYTES - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  #rearrange(array: number, old: Float32Array, oldCapacity: number, moves: readonly (RowMove | null)[]): void {
    const { kvHeads } = this.#config;
    moves.forEach((move, to) => {
      if (move === null) return;
      for (let head = 0; head < kvHeads; head++) {
        const source = (move.from * kvHeads + head) * oldCapacity * this.#headFloats;
        const vectors = old.subarray(source, source + move.length * this.#headFloats);
        this.#floats.set(vectors, this.#start(array, to, head));
      }
    });
  }

  /** One array for all copies: dropped ones of this size would wait long for the garbage collector. */
  #copied(start: number, length: number): Float32Array {
    if (this.#scratch.length < length) this.#scratch = new Float32Array(length);
    this.#scratch.set(this.#floats.subarray(start, start + length));
    return this.#scratch;
  }

  #writeHeads(array: number, row: number, position: number, source: Float32Array, begin: number): void {
    const { kvHeads, headSize } = this.#config;
    const floats = this.#floats;
    for (let head = 0; head < kvHeads; head++) {
      const from = begin + head * headSize;
      const into = this.#start(array, row, head, position);
      for (let i = 0; i < headSize; i++) floats[into + i] = source[from + i] as number;
    }
  }
}

/** Turns scores into their exponentials relative to the highest; returns their sum. */
function exponentiate(floats: Float32Array, start: number, count: number): number {
  const end = start + count;
  let top = Number.NEGATIVE_INFINITY;
  for (let i = start; i < end; i++) top = Math.max(top, floats[i] as number);
  let total = 0;
  for (let i = start; i < end; i++) {
    const power = Math.fround(Math.exp((floats[i] as number) - top));
    floats[i] = power;
    total += power;
  }
  return total;
}

function item(arrays: readonly Float32Array[], layer: number): Float32Array {
  const array = arrays[layer];
  if (array === undefined) throw new Error(`layer ${layer} is absent`);
  return array;
}

/** One position's keys and values of all layers. */
export function cacheBytesPerToken({ layers, kvHeads, headSize }: LlamaConfig): number {
  return 2 * FLOAT_BYTES * layers * kvHeads * headSize;
}

export interface RowMove {
  readonly from: number;
  readonly length: number;
}

/** Keys and values of consecutive positions: per layer `[rows, kvHeads · headSize]`. */
export interface StepRows {
  readonly rows: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}
