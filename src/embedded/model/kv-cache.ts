import type { LlamaConfig } from './llama-config';

/**
 * Keys and values of all running sequences, owned by the host: per layer one array `[rows, kvHeads, capacity, headSize]`,
 * exactly what a decode step takes. Rows are compact or not as the caller likes; unused positions hold finite leftovers,
 * which a step hides by its bias.
 */
export class KvCache {
  readonly #config: LlamaConfig;
  #rows = 0;
  #capacity = 0;
  #keys: Float32Array[] = [];
  #values: Float32Array[] = [];

  constructor(config: LlamaConfig) {
    this.#config = config;
  }

  get rows(): number {
    return this.#rows;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get keys(): readonly Float32Array[] {
    return this.#keys;
  }

  get values(): readonly Float32Array[] {
    return this.#values;
  }

  get sizeBytes(): number {
    return 8 * this.#config.layers * this.#rows * this.#rowSize;
  }

  /**
   * Changes the shape; row i of the new layout takes `length` positions from the old row `moves[i].from`.
   * Does nothing when the shape stays and every row stays where it is.
   */
  reshape(rows: number, capacity: number, moves: readonly (RowMove | null)[]): void {
    const isSame = rows === this.#rows && capacity === this.#capacity;
    if (isSame && moves.every((move, to) => move === null || move.from === to)) return;
    const before = { keys: this.#keys, values: this.#values, capacity: this.#capacity };
    this.#rows = rows;
    this.#capacity = capacity;
    this.#keys = this.#allocate();
    this.#values = this.#allocate();
    moves.forEach((move, to) => {
      if (move === null) return;
      for (let layer = 0; layer < this.#config.layers; layer++) {
        this.#move(before.keys[layer], this.#keys[layer], { ...move, to, oldCapacity: before.capacity });
        this.#move(before.values[layer], this.#values[layer], { ...move, to, oldCapacity: before.capacity });
      }
    });
  }

  /**
   * Takes positions `start … start + count − 1` of one row from step outputs laid out `[layers, total, kvHeads · headSize]`,
   * beginning at `offset` of the middle axis.
   */
  write(row: number, start: number, source: StepRows): void {
    for (let layer = 0; layer < this.#config.layers; layer++) {
      this.#writeLayer(this.#keys[layer], layer, row, start, source, source.keys);
      this.#writeLayer(this.#values[layer], layer, row, start, source, source.values);
    }
  }

  /** Zeroes a row: only needed after a numeric failure, since hidden NaN would still spread. */
  clear(row: number): void {
    for (const array of [...this.#keys, ...this.#values]) array.fill(0, row * this.#rowSize, (row + 1) * this.#rowSize);
  }

  get #rowSize(): number {
    return this.#config.kvHeads * this.#capacity * this.#config.headSize;
  }

  #allocate(): Float32Array[] {
    return Array.from({ length: this.#config.layers }, () => new Float32Array(this.#rows * this.#rowSize));
  }

  #move(
    from: Float32Array | undefined,
    into: Float32Array | undefined,
    move: RowMove & { readonly to: number; readonly oldCapacity: number },
  ): void {
    if (from === undefined || into === undefined) return;
    const { kvHeads, headSize } = this.#config;
    for (let head = 0; head < kvHeads; head++) {
      const source = (move.from * kvHeads + head) * move.oldCapacity * headSize;
      const target = (move.to * kvHeads + head) * this.#capacity * headSize;
      into.set(from.subarray(source, source + move.length * headSize), target);
    }
  }

  #writeLayer(
    into: Float32Array | undefined,
    layer: number,
    row: number,
    start: number,
    source: StepRows,
    data: Float32Array,
  ): void {
    if (into === undefined) return;
    const { kvHeads, headSize } = this.#config;
    const width = kvHeads * headSize;
    for (let i = 0; i < source.count; i++) {
      const from = (layer * source.total + source.offset + i) * width;
      for (let head = 0; head < kvHeads; head++) {
        const target = ((row * kvHeads + head) * this.#capacity + start + i) * headSize;
        const begin = from + head * headSize;
        into.set(data.subarray(begin, begin + headSize), target);
      }
    }
  }
}

export interface RowMove {
  readonly from: number;
  readonly length: number;
}

export interface StepRows {
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly total: number;
  readonly offset: number;
  readonly count: number;
}
