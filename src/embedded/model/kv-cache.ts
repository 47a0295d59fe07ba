import type { LlamaConfig } from './llama-config';

/** What a decode step reads: per layer `[rows, kvHeads, capacity, headSize]`. */
export interface CacheView {
  readonly rows: number;
  readonly capacity: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

/**
 * Keys and values of all running sequences, owned by the host: per layer one array `[rows, kvHeads, capacity, headSize]`,
 * exactly what a decode step takes. Rows are compact or not as the caller likes; unused positions hold finite leftovers,
 * which a step hides by its bias. The memory behind only ever grows, to the largest shape so far: dropped arrays of this size would
 * wait long for the garbage collector.
 */
export class KvCache implements CacheView {
  readonly #config: LlamaConfig;
  #rows = 0;
  #capacity = 0;
  #keys: Float32Array[];
  #values: Float32Array[];
  #scratch = new Float32Array();

  constructor(config: LlamaConfig) {
    this.#config = config;
    this.#keys = Array.from({ length: config.layers }, () => new Float32Array());
    this.#values = Array.from({ length: config.layers }, () => new Float32Array());
  }

  get rows(): number {
    return this.#rows;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get keys(): readonly Float32Array[] {
    return this.#keys.map((array) => array.subarray(0, this.#size));
  }

  get values(): readonly Float32Array[] {
    return this.#values.map((array) => array.subarray(0, this.#size));
  }

  get sizeBytes(): number {
    return [...this.#keys, ...this.#values].reduce((bytes, array) => bytes + array.byteLength, 0);
  }

  /**
   * Changes the shape; row i of the new layout takes `length` positions from the old row `moves[i].from`.
   * Does nothing when the shape stays and every row stays where it is.
   */
  reshape(rows: number, capacity: number, moves: readonly (RowMove | null)[]): void {
    const isSame = rows === this.#rows && capacity === this.#capacity;
    if (isSame && moves.every((move, to) => move === null || move.from === to)) return;
    const before = { size: this.#size, capacity: this.#capacity };
    this.#rows = rows;
    this.#capacity = capacity;
    this.#keys = this.#keys.map((array) => this.#rearrange(array, before, moves));
    this.#values = this.#values.map((array) => this.#rearrange(array, before, moves));
  }

  /** Takes `count` rows of a step's output, beginning with its row `from`, as positions `start …` of one row here. */
  write(row: number, start: number, source: StepRows, from: number, count: number): void {
    for (let layer = 0; layer < this.#config.layers; layer++) {
      this.#writeLayer(this.#keys[layer], source.keys[layer], { row, start, from, count });
      this.#writeLayer(this.#values[layer], source.values[layer], { row, start, from, count });
    }
  }

  /** Zeroes a row: only needed after a numeric failure, since hidden NaN would still spread. */
  clear(row: number): void {
    for (const array of [...this.#keys, ...this.#values]) array.fill(0, row * this.#rowSize, (row + 1) * this.#rowSize);
  }

  /** elements in use per layer array */
  get #size(): number {
    return this.#rows * this.#rowSize;
  }

  get #rowSize(): number {
    return this.#config.kvHeads * this.#capacity * this.#config.headSize;
  }

  /** The array in the new layout: itself, or a larger one. */
  #rearrange(
    array: Float32Array,
    before: { readonly size: number; readonly capacity: number },
    moves: readonly (RowMove | null)[],
  ): Float32Array {
    const isLargeEnough = array.length >= this.#size;
    const into = isLargeEnough ? array : new Float32Array(this.#size);
    // in place, rows would overwrite one another
    const from = isLargeEnough ? this.#copied(array.subarray(0, before.size)) : array;
    const { kvHeads, headSize } = this.#config;
    moves.forEach((move, to) => {
      if (move === null) return;
      for (let head = 0; head < kvHeads; head++) {
        const source = (move.from * kvHeads + head) * before.capacity * headSize;
        const target = (to * kvHeads + head) * this.#capacity * headSize;
        into.set(from.subarray(source, source + move.length * headSize), target);
      }
    });
    return into;
  }

  #copied(array: Float32Array): Float32Array {
    if (this.#scratch.length < array.length) this.#scratch = new Float32Array(array.length);
    this.#scratch.set(array);
    return this.#scratch;
  }

  #writeLayer(
    into: Float32Array | undefined,
    source: Float32Array | undefined,
    { row, start, from, count }: { row: number; start: number; from: number; count: number },
  ): void {
    if (into === undefined || source === undefined) return;
    const { kvHeads, headSize } = this.#config;
    for (let i = 0; i < count; i++) {
      for (let head = 0; head < kvHeads; head++) {
        const begin = ((from + i) * kvHeads + head) * headSize;
        const target = ((row * kvHeads + head) * this.#capacity + start + i) * headSize;
        into.set(source.subarray(begin, begin + headSize), target);
      }
    }
  }
}

/** One position's keys and values of all layers. */
export function cacheBytesPerToken({ layers, kvHeads, headSize }: LlamaConfig): number {
  return 2 * Float32Array.BYTES_PER_ELEMENT * layers * kvHeads * headSize;
}

export interface RowMove {
  readonly from: number;
  readonly length: number;
}

/** Keys and values that a step computed: per layer `[rows, kvHeads · headSize]`. */
export interface StepRows {
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
  readonly rows: number;
}
