import type { Decoder } from '../model/decoder';
import { type BatchShapes, rowSizes } from './batch-shapes';

export interface WarmUp {
  /** compiled before the engine says it is ready: one chat answers at full speed */
  readonly early: readonly WarmUpStep[];
  /** compiled afterwards, between requests */
  readonly late: readonly WarmUpStep[];
}

export type WarmUpStep = () => Promise<void>;

/** Longer prompts are left to their first use: an answer that long has time to wait for a compilation. */
const WARM_PREFILLS = 4;

/** Compiles steps before they are needed, for batches of any size and prompts of up to 256 positions: one chat first. */
export function planWarmUp(decoder: Decoder, shapes: BatchShapes): WarmUp {
  const [prefill, ...longer] = shapes.prefills.slice(0, WARM_PREFILLS);
  const [alone, ...wider] = shapes.capacities
    .flatMap((capacity) => [...rowSizes(shapes, capacity)])
    .sort((a, b) => a - b);
  const early = new Set([alone, prefill].filter((rows) => rows !== undefined));
  const late = new Set([...wider, ...longer].filter((rows) => !early.has(rows)));
  const compile = (rows: number) => () => decoder.compile(rows);
  return { early: [...early].map(compile), late: [...late].map(compile) };
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
