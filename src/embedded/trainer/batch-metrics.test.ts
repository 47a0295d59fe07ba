import { describe, expect, it } from 'vitest';
import { algorithmSchema } from '../../shared/wire/trainer';
import { lossMetrics } from './batch-metrics';
import { judgeDrift } from './drift-guard';
import { packMicrobatches } from './microbatches';
import type { StepReport } from './policy-optimizer';
import type { TrainingRow } from './training-batch';

const VERSION = 3;
/** like a batch of 32 short answers */
const TOKENS = 400;

interface MeasuredAs {
  readonly sampled: number;
  readonly start: number;
  readonly last: number;
}

/** A batch of one row; each of its tokens measured as given: when sampled, before the first step, in the last pass. */
function reportOf(tokens: readonly MeasuredAs[], age = 0): StepReport {
  const length = tokens.length + 1;
  const row: TrainingRow = {
    row: 0,
    session: 0,
    ids: new Int32Array(length),
    mask: Uint8Array.from({ length }, (_, t) => (t === 0 ? 0 : 1)),
    behave: Float32Array.from([0, ...tokens.map(({ sampled }) => sampled)]),
    versions: new Int32Array(length).fill(VERSION - age),
    temperature: 1,
    weight: 1 / tokens.length,
    advantage: -1,
  };
  const parts = packMicrobatches([row], VERSION);
  const filled = (pick: (token: MeasuredAs) => number) => {
    const values = new Float32Array(parts[0]!.inputs.ids.length);
    values.set(tokens.map(pick));
    return values;
  };
  const [proximal, logprobs] = [filled(({ start }) => start), filled(({ last }) => last)];
  const drift = judgeDrift(parts, [proximal], null);
  const entropy = new Float32Array(proximal.length);
  return {
    outcome: 'trained',
    drift,
    passes: drift.parts.map((part) => ({ part, reference: proximal, proximal, logprobs, entropy })),
    gradientNorm: 1,
    learningRate: 1e-3,
    skippedSteps: 0,
    seconds: { reference: 0, forwardBackward: 0, optimizer: 0 },
  };
}

const still: MeasuredAs = { sampled: -1, start: -1, last: -1 };
const metricsOf = (tokens: readonly MeasuredAs[], age?: number) =>
  lossMetrics(algorithmSchema.parse({}), reportOf(tokens, age));
const withOne = (token: MeasuredAs) => [token, ...Array.from({ length: TOKENS - 1 }, () => still)];

describe('lossMetrics', () => {
  it('one collapsed token moves the KL of the step by its share, and is seen as the farthest', () => {
    const metrics = metricsOf(withOne({ sampled: -1, start: -1, last: -11 }));
    expect(metrics['kl/approx_kl']).toBeCloseTo((Math.exp(-10) + 9) / TOKENS, 9);
    expect(metrics['kl/approx_kl_k1']).toBeCloseTo(10 / TOKENS, 9);
    expect(metrics).toMatchObject({ 'logratio/step_p50': 0, 'logratio/step_p99': 0, 'logratio/step_max': 10 });
    expect(metrics).toMatchObject({ 'logratio/behave_max': 0, 'logratio/fresh_max': 0, 'kl/mismatch_fresh': 0 });
  });

  it('what the samplers saw otherwise shows as drift, not as the step', () => {
    const metrics = metricsOf(withOne({ sampled: -1, start: -3, last: -3 }), 1);
    expect(metrics['kl/behave_k3']).toBeCloseTo((Math.exp(-2) + 1) / TOKENS, 9);
    expect(metrics['kl/behave_k3_all']).toBeCloseTo((Math.exp(-2) + 1) / TOKENS, 9);
    expect(metrics['kl/behave_approx_kl']).toBeCloseTo(-2 / TOKENS, 9);
    expect(metrics).toMatchObject({ 'logratio/behave_p99': 0, 'logratio/behave_max': 2, 'logratio/fresh_max': null });
    expect(metrics).toMatchObject({ 'kl/approx_kl': 0, 'logratio/step_max': 0, 'kl/mismatch_fresh': null });
  });
});
