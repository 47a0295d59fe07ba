import type { Decoder } from '../model/decoder';
import type { CacheView } from '../model/kv-cache';
import type { LlamaConfig } from '../model/llama-config';
import { type BatchShapes, rowSizes } from './batch-shapes';

export interface WarmUp {
  /** compiled before the engine says it is ready: one chat answers at full speed */
  readonly early: readonly WarmUpStep[];
  /** compiled afterwards, between requests */
  readonly late: readonly WarmUpStep[];
}

export type WarmUpStep = () => Promise<void>;

/** Longer contexts are left to their first use: an answer that long has time to wait for a compilation. */
const WARM_LENGTHS = 4;

/** Compiles steps before they are needed: every batch of up to 256 positions. */
export function planWarmUp(decoder: Decoder, shapes: BatchShapes): WarmUp {
  const prefill = (length: number) => async () => void (await decoder.prefill([0], length));
  const step = (rows: number, capacity: number) => async () =>
    void (await decoder.step(new Array(rows).fill(null), blankCache(decoder.config, rows, capacity)));
  const [first, ...later] = shapes.prefills.slice(0, WARM_LENGTHS).map(prefill);
  const steps = shapes.capacities
    .slice(0, WARM_LENGTHS)
    .flatMap((capacity) => rowSizes(shapes, capacity).map((rows) => ({ rows, run: step(rows, capacity) })));
  // one chat first, then wider batches
  const [firstStep, ...laterSteps] = [...steps].sort((a, b) => a.rows - b.rows).map(({ run }) => run);
  return {
    early: [first, firstStep].filter((task) => task !== undefined),
    late: [...later, ...laterSteps],
  };
}

/** All layers share one array: a whole second cache would show in the memory of an idle engine. */
function blankCache({ layers, kvHeads, headSize }: LlamaConfig, rows: number, capacity: number): CacheView {
  const blank = new Float32Array(rows * kvHeads * capacity * headSize);
  const all = new Array<Float32Array>(layers).fill(blank);
  return { rows, capacity, keys: all, values: all };
}

/** Where late warm-up runs: it must know when the engine has nothing better to do. */
export interface WarmUpHost {
  readonly isIdle: () => boolean;
  readonly atRest: (task: WarmUpStep) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

/** Between two looks at whether the engine is idle, and after each compilation, so that requests come first. */
const PAUSE_MS = 25;

/** Runs the late steps one by one, each only while no request is inside: a request waits for one compilation at most. */
export async function warmUpLate(plan: WarmUp, host: WarmUpHost): Promise<void> {
  for (const step of plan.late) {
    do await host.wait(PAUSE_MS);
    while (!host.isIdle());
    await host.atRest(step);
  }
}
