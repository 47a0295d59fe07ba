import type { HostParams } from './checkpoint';
import type { CacheView, StepRows } from './kv-cache';
import type { LlamaConfig } from './llama-config';
import { disposeParams, embed, take, toDevice } from './llama-forward';
import {
  HIDDEN_SCORE,
  makeDecodeStep,
  makePrefill,
  packParams,
  type RowInputs,
  type RowOutputs,
} from './llama-inference';
import { type RopeTable, ropeTable } from './rope';
import { EMBEDDING, parameterCount } from './tensor-names';
import { type DeviceParams, np, type Tensor, tree } from './tensor-runtime';

/** Host copies of one step's results: logits `[rows, vocab]`, keys and values per layer `[rows, kvHeads · headSize]`. */
export interface HostRows extends StepRows {
  readonly logits: Float32Array;
}

/** One row of a decode step: the token to feed and its position; `null` rows are idle. */
export interface DecodeRow {
  readonly tokenId: number;
  readonly position: number;
}

/**
 * A Llama ready to sample from: compiled steps plus swappable weights. Host arrays in and out, so its users never see a tensor.
 *
 * For given weights the logits of a token depend on its prefix alone, bit for bit: not on batch size, row, cache capacity, or
 * on whether the prefix came by prefill or by decode steps.
 */
export class Decoder {
  readonly config: LlamaConfig;
  readonly #rope: RopeTable;
  readonly #prefill;
  readonly #step;
  /** shapes that have run once, whose kernels are therefore ready */
  readonly #compiled = new Set<string>();
  #params: DeviceParams;

  constructor(config: LlamaConfig, params: HostParams) {
    this.config = config;
    this.#rope = withSignedSin(ropeTable(config, config.maxPositions));
    this.#prefill = makePrefill(config);
    this.#step = makeDecodeStep(config);
    this.#params = packParams(config, toDevice(config, params));
  }

  /** number of weights */
  get parameters(): number {
    return parameterCount(this.config);
  }

  /** Replaces the weights; call between steps only. Shapes must be this decoder's. */
  swap(params: HostParams): void {
    const fresh = packParams(this.config, toDevice(this.config, params));
    disposeParams(this.#params);
    this.#params = fresh;
  }

  /** One row per prompt position; computed in the shape compiled for `paddedLength`. */
  async prefill(tokenIds: readonly number[], paddedLength: number): Promise<HostRows> {
    return this.#prefillWith(this.#params, tokenIds, paddedLength);
  }

  /** Runs one prompt through other weights of the same shape without adopting them; true when all logits are finite. */
  async isUsable(params: HostParams): Promise<boolean> {
    const device = packParams(this.config, toDevice(this.config, params));
    try {
      const { logits } = await this.#prefillWith(device, [0], Math.min(32, this.config.maxPositions));
      return logits.subarray(0, this.config.vocabSize).every(Number.isFinite);
    } finally {
      disposeParams(device);
    }
  }

  /** One token for each row of the cache; idle rows run along and are meaningless. */
  async step(rows: readonly (DecodeRow | null)[], cache: CacheView): Promise<HostRows> {
    const { kvHeads, headSize } = this.config;
    const count = cache.rows;
    const bias = new Float32Array(count * cache.capacity).fill(HIDDEN_SCORE);
    const ids = new Int32Array(count);
    const positions = new Int32Array(count);
    rows.forEach((row, i) => {
      if (row === null) return;
      ids[i] = row.tokenId;
      positions[i] = row.position;
      bias.fill(0, i * cache.capacity, i * cache.capacity + row.position);
    });
    const shape = [count, kvHeads, cache.capacity, headSize];
    const upload = (array: Float32Array) => np.array(array).reshape(shape);
    const inputs = this.#rows(this.#params, ids, positions, np.array(bias).reshape([count, 1, 1, cache.capacity]));
    const outputs = this.#step(tree.ref(this.#params), inputs, {
      keys: cache.keys.map(upload),
      values: cache.values.map(upload),
    });
    return this.#toHost(outputs, count, `step ${shape}`);
  }

  dispose(): void {
    disposeParams(this.#params);
  }

  async #prefillWith(params: DeviceParams, tokenIds: readonly number[], length: number): Promise<HostRows> {
    const ids = new Int32Array(length);
    ids.set(tokenIds);
    const positions = Int32Array.from({ length }, (_, i) => i);
    const bias = new Float32Array(length * length).fill(HIDDEN_SCORE);
    for (let row = 0; row < length; row++) bias.fill(0, row * length, row * length + row);
    const inputs = this.#rows(params, ids, positions, np.array(bias).reshape([length, 1, 1, length]));
    return this.#toHost(this.#prefill(tree.ref(params), inputs), tokenIds.length, `prefill ${length}`);
  }

  /**
   * Runs the pending kernels and copies the first `rows` rows out. Kernels are compiled off this thread the first time; afterwards
   * waiting for a hundred promises would cost more than the kernels of a small step.
   */
  async #toHost(outputs: RowOutputs, rows: number, shape: string): Promise<HostRows> {
    const { heads, kvHeads, headSize, vocabSize } = this.config;
    const isCompiled = this.#compiled.has(shape);
    const logits = floats(isCompiled ? outputs.logits.dataSync() : await outputs.logits.data());
    this.#compiled.add(shape);
    const part = (tensor: Tensor, width: number) => {
      const size = kvHeads * headSize;
      return columns(floats(tensor.dataSync()), rows, width * headSize, width * headSize - size, size);
    };
    return {
      rows,
      logits: logits.subarray(0, rows * vocabSize),
      keys: outputs.turned.map((tensor) => part(tensor, heads + kvHeads)),
      values: outputs.projected.map((tensor) => part(tensor, heads + 2 * kvHeads)),
    };
  }

  #rows(params: DeviceParams, ids: Int32Array, positions: Int32Array, bias: Tensor): RowInputs {
    const { headSize } = this.config;
    const cos = new Float32Array(ids.length * headSize);
    const sin = new Float32Array(ids.length * headSize);
    positions.forEach((position, i) => {
      const begin = position * headSize;
      cos.set(this.#rope.cos.subarray(begin, begin + headSize), i * headSize);
      sin.set(this.#rope.sin.subarray(begin, begin + headSize), i * headSize);
    });
    const shape = [ids.length, 1, headSize];
    return {
      x: embed(take(params, EMBEDDING).ref, np.array(ids)),
      bias,
      cos: np.array(cos).reshape(shape),
      sin: np.array(sin).reshape(shape),
    };
  }
}

/** The first half of every row of sines negated, as rotateSigned takes them. */
function withSignedSin(table: RopeTable): RopeTable {
  const sin = table.sin.map((value, i) => (i % table.headSize < table.headSize / 2 ? -value : value));
  return { ...table, sin };
}

/** Columns `from … from + size − 1` of the first rows of a matrix. */
function columns(matrix: Float32Array, rows: number, width: number, from: number, size: number): Float32Array {
  const cut = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    const begin = row * width + from;
    cut.set(matrix.subarray(begin, begin + size), row * size);
  }
  return cut;
}

function floats(data: unknown): Float32Array {
  if (!(data instanceof Float32Array)) throw new Error('the tensor library returned something other than float32');
  return data;
}
