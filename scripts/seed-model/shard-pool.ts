import { Worker } from 'node:worker_threads';
import type { HostParams } from '../../src/embedded/model/checkpoint';
import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { parameterCount, tensorShapes } from '../../src/embedded/model/tensor-names';
import type { PackedRows, RowShape } from './packing';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './shard-worker';

export interface Shard {
  readonly shape: RowShape;
  readonly rows: PackedRows;
}

/**
 * Threads that compute the gradients of a step's shards side by side. The sum over shards is taken in shard order, so
 * the result depends on the shards but not on how many threads there are.
 */
export class ShardPool {
  readonly #config: LlamaConfig;
  readonly #params: SharedArrayBuffer;
  readonly #gradients: readonly SharedArrayBuffer[];
  readonly #workers: readonly Worker[];

  constructor(
    config: LlamaConfig,
    options: { readonly workerFile: URL; readonly threads: number; readonly shards: number },
  ) {
    this.#config = config;
    const bytes = parameterCount(config) * Float32Array.BYTES_PER_ELEMENT;
    this.#params = new SharedArrayBuffer(bytes);
    this.#gradients = Array.from({ length: options.shards }, () => new SharedArrayBuffer(bytes));
    const workerData: WorkerSetup = { config, params: this.#params, gradients: this.#gradients };
    this.#workers = Array.from({ length: options.threads }, () => new Worker(options.workerFile, { workerData }));
  }

  /** Hands new parameters to every thread. */
  async setParams(params: HostParams): Promise<void> {
    const all = new Float32Array(this.#params);
    let offset = 0;
    for (const name of tensorShapes(this.#config).keys()) {
      all.set(params[name]!, offset);
      offset += params[name]!.length;
    }
    await Promise.all(this.#workers.map((worker) => request(worker, { kind: 'refresh' })));
  }

  /** Summed loss and gradients of the shards. Shard i always goes to thread i mod threads: each compiles few shapes. */
  async gradients(shards: readonly Shard[]): Promise<{ readonly loss: number; readonly gradients: HostParams }> {
    const losses = new Float64Array(shards.length);
    await Promise.all(
      this.#workers.map(async (worker, thread) => {
        for (let shard = thread; shard < shards.length; shard += this.#workers.length) {
          const { shape, rows } = shards[shard]!;
          const reply = await request(worker, { kind: 'gradient', shard, shape, rows });
          if (reply.kind === 'done') losses[shard] = reply.loss;
        }
      }),
    );
    return { loss: losses.reduce((sum, loss) => sum + loss, 0), gradients: this.#sum(shards.length) };
  }

  /** Next-token logits of many sequences, a few rows per thread at a time. */
  async nextLogits(sequences: readonly (readonly number[])[], length: number, rowsAtOnce = 4): Promise<Float32Array[]> {
    const results: Float32Array[] = [];
    let next = 0;
    await Promise.all(
      this.#workers.map(async (worker) => {
        while (next < sequences.length) {
          const start = next;
          next += rowsAtOnce;
          const chunk = sequences.slice(start, next);
          const ids = new Int32Array(rowsAtOnce * length);
          chunk.forEach((sequence, row) => {
            ids.set(sequence, row * length);
          });
          const lasts = chunk.map((sequence) => sequence.length - 1);
          const reply = await request(worker, { kind: 'next-logits', ids, rows: rowsAtOnce, lasts });
          if (reply.kind === 'logits') {
            reply.logits.forEach((logits, row) => {
              results[start + row] = logits;
            });
          }
        }
      }),
    );
    return results;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #sum(shards: number): HostParams {
    const total = new Float32Array(this.#gradients[0]!.byteLength / Float32Array.BYTES_PER_ELEMENT);
    for (let shard = 0; shard < shards; shard++) {
      const part = new Float32Array(this.#gradients[shard]!);
      for (let i = 0; i < total.length; i++) total[i]! += part[i]!;
    }
    const result: Record<string, Float32Array> = {};
    let offset = 0;
    for (const [name, shape] of tensorShapes(this.#config)) {
      const size = shape.reduce((product, n) => product * n, 1);
      result[name] = total.subarray(offset, offset + size);
      offset += size;
    }
    return result;
  }
}

function request(worker: Worker, message: WorkerRequest): Promise<WorkerReply> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      act();
    };
    const onMessage = (reply: WorkerReply): void => settle(() => resolve(reply));
    const onError = (cause: Error): void => settle(() => reject(cause));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(message);
  });
}
