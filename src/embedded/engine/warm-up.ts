import type { Decoder } from '../model/decoder';
import { KvCache } from '../model/kv-cache';
import type { BatchShapes } from './batch-shapes';

export interface WarmUp {
  /** compiled before the engine says it is ready: one chat answers at full speed */
  readonly early: readonly WarmUpStep[];
  /** compiled afterwards, between requests */
  readonly late: readonly WarmUpStep[];
}

export type WarmUpStep = () => Promise<void>;

/** Compiles steps before they are needed. Larger shapes are left to their first use: most runs never need them. */
export function planWarmUp(decoder: Decoder, shapes: BatchShapes): WarmUp {
  const prefill = (length: number) => async () => void (await decoder.prefill([0], length));
  const step = (rows: number, capacity: number) => async () => {
    const cache = new KvCache(decoder.config);
    cache.reshape(rows, capacity, []);
    await decoder.step(new Array(rows).fill(null), cache);
  };
  const [smallest = 1, ...wider] = shapes.rows;
  const [short = 32, ...longer] = shapes.capacities.slice(0, 3);
  const [firstPrefill = 32, ...laterPrefills] = shapes.prefills.slice(0, 3);
  return {
    early: [prefill(firstPrefill), step(smallest, short)],
    late: [
      ...laterPrefills.map(prefill),
      ...longer.map((capacity) => step(smallest, capacity)),
      ...wider.map((rows) => step(rows, short)),
      ...wider.flatMap((rows) => longer.map((capacity) => step(rows, capacity))),
    ],
  };
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
