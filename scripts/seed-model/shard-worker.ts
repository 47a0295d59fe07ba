import { parentPort, workerData } from 'node:worker_threads';
import { type CrossEntropyGradient, makeCrossEntropyGradient } from '../../src/embedded/model/cross-entropy-loss';
import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { disposeParams, embed, forward, toDevice, toHost } from '../../src/embedded/model/llama-forward';
import { type RopeTable, ropeTable, ropeTensors } from '../../src/embedded/model/rope';
import { EMBEDDING, tensorShapes } from '../../src/embedded/model/tensor-names';
import {
  type DeviceParams,
  jit,
  np,
  startTensorRuntime,
  type Tensor,
  tree,
} from '../../src/embedded/model/tensor-runtime';
import type { PackedRows, RowShape } from './packing';

/** What the main thread shares with a worker: flat float32 tensors in the order of `tensorShapes`. */
export interface WorkerSetup {
  readonly config: LlamaConfig;
  readonly params: SharedArrayBuffer;
  /** one gradient per shard */
  readonly gradients: readonly SharedArrayBuffer[];
}

export type WorkerRequest =
  | { readonly kind: 'refresh' }
  | { readonly kind: 'gradient'; readonly shard: number; readonly shape: RowShape; readonly rows: PackedRows }
  | {
      readonly kind: 'next-logits';
      readonly ids: Int32Array;
      readonly rows: number;
      readonly lasts: readonly number[];
    };

export type WorkerReply =
  | { readonly kind: 'done'; readonly loss: number }
  | { readonly kind: 'logits'; readonly logits: readonly Float32Array[] };

const { config, params: shared, gradients } = workerData as WorkerSetup;
const port = parentPort!;
const rope: RopeTable = ropeTable(config, config.maxPositions);
const ready = startTensorRuntime();

let params: DeviceParams | null = null;
let gradientOf: CrossEntropyGradient | null = null;
const logitsOf = jit((p: DeviceParams, x: Tensor, cos: Tensor, sin: Tensor) => forward(config, p, x, cos, sin)) as (
  p: DeviceParams,
  x: Tensor,
  cos: Tensor,
  sin: Tensor,
) => Tensor;

port.on('message', (request: WorkerRequest) => {
  // one request at a time per worker: the pool waits for the reply
  answer(request).then(
    (reply) => port.postMessage(reply),
    (cause) => {
      throw cause;
    },
  );
});

async function answer(request: WorkerRequest): Promise<WorkerReply> {
  await ready;
  if (request.kind === 'refresh' || params === null) {
    if (params !== null) disposeParams(params);
    params = readShared();
  }
  switch (request.kind) {
    case 'refresh':
      return { kind: 'done', loss: 0 };
    case 'gradient':
      return { kind: 'done', loss: await gradient(params, request.shard, request.shape, request.rows) };
    case 'next-logits':
      return { kind: 'logits', logits: await nextLogits(params, request.ids, request.rows, request.lasts) };
  }
}

async function gradient(
  p: DeviceParams,
  shard: number,
  { rows, length }: RowShape,
  packed: PackedRows,
): Promise<number> {
  gradientOf ??= makeCrossEntropyGradient(config);
  const { loss, gradients: result } = gradientOf(p, {
    ids: np.array(packed.ids).reshape([rows, length]),
    targets: np.array(packed.targets).reshape([rows, length]),
    weights: np.array(packed.weights).reshape([rows, length]),
    ...ropeTensors(rope, length),
  });
  const host = await toHost(result);
  disposeParams(result);
  const target = new Float32Array(gradients[shard]!);
  let offset = 0;
  for (const name of tensorShapes(config).keys()) {
    target.set(host[name]!, offset);
    offset += host[name]!.length;
  }
  return (await loss.data())[0]!;
}

/** Logits after the last token of each row; rows are padded to one length, which causal attention does not see. */
async function nextLogits(
  p: DeviceParams,
  ids: Int32Array,
  rows: number,
  lasts: readonly number[],
): Promise<Float32Array[]> {
  const length = ids.length / rows;
  const x = embed(p[EMBEDDING]!.ref, np.array(ids).reshape([rows, length]));
  const { cos, sin } = ropeTensors(rope, length);
  const logits = await logitsOf(tree.ref(p), x, cos, sin).data();
  const { vocabSize } = config;
  return lasts.map((last, row) => {
    const start = (row * length + last) * vocabSize;
    return Float32Array.from(logits.subarray(start, start + vocabSize));
  });
}

function readShared(): DeviceParams {
  const all = new Float32Array(shared);
  const host: Record<string, Float32Array> = {};
  let offset = 0;
  for (const [name, shape] of tensorShapes(config)) {
    const size = shape.reduce((product, n) => product * n, 1);
    host[name] = all.slice(offset, offset + size);
    offset += size;
  }
  return toDevice(config, host);
}
