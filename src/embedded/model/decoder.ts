import type { HostParams } from './checkpoint';
import { KvCache, type StepRows } from './kv-cache';
import type { LlamaConfig } from './llama-config';
import { embed, toDevice } from './llama-forward';
import { disposeStepWeights, makeStepParts, packWeights, type StepWeights } from './llama-inference';
import { type RopeTable, ropeTable, rotateHeads } from './rope';
import { parameterCount } from './tensor-names';
import { np, type Tensor, tree } from './tensor-runtime';

/** What a prefill computes: logits `[rows, vocab]`, and per layer the keys and values of its rows. */
export interface HostRows extends StepRows {
  readonly logits: Float32Array;
}

/** One row of a decode step: the token to feed and its position; `null` rows are idle. */
export interface DecodeRow {
  readonly tokenId: number;
  readonly position: number;
}

/** A row of a step and the position of the cache that it fills. */
interface Place {
  readonly cacheRow: number;
  readonly position: number;
}

/**
 * A Llama ready to sample from: compiled steps plus swappable weights. Host arrays in and out, so its users never see a tensor.
 *
 * For given weights the logits of a token depend on its prefix alone, bit for bit: not on batch size, row, cache capacity, or
 * on whether the prefix came by prefill or by decode steps. One call at a time: prefills share their working memory.
 */
export class Decoder {
  readonly config: LlamaConfig;
  readonly #rope: RopeTable;
  readonly #parts;
  /** the prompt that a prefill is at */
  readonly #prompt: KvCache;
  #mixed = new Float32Array();
  /** numbers of rows that have run once, whose kernels are therefore ready */
  readonly #compiled = new Set<number>();
  #weights: StepWeights;

  constructor(config: LlamaConfig, params: HostParams) {
    this.config = config;
    this.#rope = ropeTable(config, config.maxPositions);
    this.#prompt = new KvCache(config);
    this.#parts = makeStepParts(config);
    this.#weights = packWeights(config, toDevice(config, params));
  }

  /** number of weights */
  get parameters(): number {
    return parameterCount(this.config);
  }

  /** Replaces the weights; call between steps only. Shapes must be this decoder's. */
  swap(params: HostParams): void {
    const fresh = packWeights(this.config, toDevice(this.config, params));
    disposeStepWeights(this.#weights);
    this.#weights = fresh;
  }

  /** One row per prompt position; computed in the shape compiled for `paddedLength`. */
  async prefill(tokenIds: readonly number[], paddedLength: number): Promise<HostRows> {
    return this.#prefillWith(this.#weights, tokenIds, paddedLength);
  }

  /** Runs one prompt through other weights of the same shape without adopting them; true when all logits are finite. */
  async isUsable(params: HostParams): Promise<boolean> {
    const weights = packWeights(this.config, toDevice(this.config, params));
    try {
      const { logits } = await this.#prefillWith(weights, [0], Math.min(32, this.config.maxPositions));
      return logits.every(Number.isFinite);
    } finally {
      disposeStepWeights(weights);
    }
  }

  /** Makes the kernels for a number of rows ready, so that no later step has to wait for them. */
  async compile(rows: number): Promise<void> {
    await this.#run(this.#weights, new Int32Array(rows), [], this.#prompt);
  }

  /**
   * One token for each row of the cache, to which the token's keys and values are added at its position. Returns the
   * logits `[rows, vocab]`; idle rows run along and are meaningless.
   */
  step(rows: readonly (DecodeRow | null)[], cache: KvCache): Promise<Float32Array> {
    const ids = Int32Array.from({ length: cache.rows }, (_, i) => rows[i]?.tokenId ?? 0);
    const places = rows.map((row, cacheRow) => row && { cacheRow, position: row.position });
    return this.#run(this.#weights, ids, places, cache);
  }

  dispose(): void {
    disposeStepWeights(this.#weights);
  }

  /** The prompt's positions are the rows of one step; each sees itself and those before it. */
  async #prefillWith(weights: StepWeights, tokenIds: readonly number[], length: number): Promise<HostRows> {
    const ids = new Int32Array(length);
    ids.set(tokenIds);
    this.#prompt.reshape(1, length, []);
    const places = tokenIds.map((_, position) => ({ cacheRow: 0, position }));
    const logits = await this.#run(weights, ids, places, this.#prompt);
    const count = tokenIds.length;
    return { ...this.#prompt.read(0, count), logits: logits.subarray(0, count * this.config.vocabSize) };
  }

  /** Runs the compiled parts, with attention in between; returns the logits of all rows. Rows without a place see nothing. */
  async #run(
    weights: StepWeights,
    ids: Int32Array,
    places: readonly (Place | null)[],
    cache: KvCache,
  ): Promise<Float32Array> {
    const { layers, heads, headSize } = this.config;
    const { enter, between, leave } = this.#parts;
    const rows = ids.length;
    const mix = async (tensor: Tensor, layer: number) => {
      const projected = await this.#read(tensor, rows);
      return np.array(this.#attend(projected, layer, rows, places, cache), { shape: [rows, heads * headSize] });
    };
    let hidden = embed(weights.embedding.ref, np.array(ids));
    let projected = enter(hidden.ref, tree.ref(at(weights.projections, 0)));
    for (let layer = 0; layer < layers - 1; layer++) {
      const [mlp, next] = [at(weights.mlps, layer), at(weights.projections, layer + 1)];
      ({ hidden, projected } = between(hidden, await mix(projected, layer), tree.ref(mlp), tree.ref(next)));
    }
    const mlp = at(weights.mlps, layers - 1);
    const logits = leave(hidden, await mix(projected, layers - 1), tree.ref(mlp), tree.ref(weights.head));
    const result = await this.#read(logits, rows);
    this.#compiled.add(rows);
    return result;
  }

  /** Adds one layer's keys and values to the cache and attends to it, row by row. */
  #attend(
    projected: Float32Array,
    layer: number,
    rows: number,
    places: readonly (Place | null)[],
    cache: KvCache,
  ): Float32Array {
    const { heads, kvHeads, headSize } = this.config;
    // one array for all steps: the library copies it; what idle rows hold means nothing
    const size = rows * heads * headSize;
    if (this.#mixed.length < size) this.#mixed = new Float32Array(size);
    const mixed = this.#mixed.subarray(0, size);
    places.forEach((place, row) => {
      if (place === null) return;
      const { cacheRow, position } = place;
      const queries = row * (heads + 2 * kvHeads) * headSize;
      const keys = queries + heads * headSize;
      const own = { projected, queries, keys, values: keys + kvHeads * headSize };
      rotateHeads(this.#rope, projected, queries, heads + kvHeads, position);
      cache.writeProjected(layer, cacheRow, position, own);
      cache.attend(layer, cacheRow, position + 1, own, mixed, row * heads * headSize);
    });
    return mixed;
  }

  /**
   * Runs the pending kernels and copies a result out. Kernels are compiled off this thread the first time; afterwards
   * waiting for their promises would cost more than the kernels of a small step.
   */
  async #read(tensor: Tensor, rows: number): Promise<Float32Array> {
    const data: unknown = this.#compiled.has(rows) ? tensor.dataSync() : await tensor.data();
    if (!(data instanceof Float32Array)) throw new Error('the tensor library returned something other than float32');
    return data;
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`the model has no layer ${index}`);
  return item;
}
