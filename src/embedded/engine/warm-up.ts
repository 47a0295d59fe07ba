import type { Decoder } from '../model/decoder';
import { KvCache } from '../model/kv-cache';
import type { BatchShapes } from './batch-shapes';
import { nextTurn } from './next-turn';

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
  const [short = 64, ...longer] = shapes.capacities.slice(0, 2);
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

/** Runs the late steps one by one, letting requests in between go first. */
export async function warmUpLate(plan: WarmUp, atRest: (task: WarmUpStep) => Promise<void>): Promise<void> {
  for (const step of plan.late) {
    await nextTurn();
    await atRest(step);
  }
}
