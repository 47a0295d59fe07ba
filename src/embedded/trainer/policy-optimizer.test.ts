import { beforeAll, describe, expect, it } from 'vitest';
import { type Algorithm, algorithmSchema } from '../../shared/wire/trainer';
import type { HostParams } from '../model/checkpoint';
import { startTensorRuntime } from '../model/tensor-runtime';
import { referenceLogits } from '../model/testing/reference-forward';
import { randomParams, TINY_CONFIG } from '../model/testing/tiny-checkpoint';
import { lossMetrics } from './batch-metrics';
import { packMicrobatches } from './microbatches';
import { PolicyOptimizer, type StepHooks } from './policy-optimizer';
import type { TrainingRow } from './training-batch';

beforeAll(startTensorRuntime);

const CONFIG = { ...TINY_CONFIG, vocabSize: 40, hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 24 };
const SEED = randomParams(CONFIG, 2);
const VERSION = 5;
const HOOKS: StepHooks = { now: () => 0, breathe: async () => {} };

function logprobsOf(params: HostParams, ids: readonly number[]): number[] {
  const logits = referenceLogits(CONFIG, params, ids.slice(0, -1));
  return logits.map((row, t) => row[ids[t + 1]!]! - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0)));
}

/** Three rows; `shift` is added to what the samplers reported, `age` is how old they were. */
function makeRows(shift: (row: number) => number, age: (row: number) => number): TrainingRow[] {
  return [0, 1, 2].map((r) => {
    const ids = [3, 17 + r, 5, 30 - r, 8 + 3 * r, 1];
    const behave = [0, ...logprobsOf(SEED, ids)].map((logprob) => logprob + shift(r));
    return {
      row: r,
      session: r,
      ids: Int32Array.from(ids),
      mask: Uint8Array.from([0, 0, 0, 1, 1, 1]),
      behave: Float32Array.from(behave),
      versions: new Int32Array(6).fill(VERSION - age(r)),
      temperature: 1,
      weight: 1 / 9,
      advantage: r === 0 ? 1 : -0.5,
    };
  });
}

async function train(rows: readonly TrainingRow[], change: Partial<Algorithm> = {}, params = SEED) {
  const optimizer = new PolicyOptimizer(CONFIG, SEED, params, null);
  const algorithm = algorithmSchema.parse(change);
  const report = await optimizer.train(packMicrobatches(rows, VERSION), algorithm, HOOKS);
  return { report, optimizer, metrics: lossMetrics(algorithm, report), weights: await optimizer.weights() };
}

describe('PolicyOptimizer', () => {
  it('makes answers with a good rating likelier and others less likely', async () => {
    const { report, weights, metrics } = await train(
      makeRows(
        () => 0,
        () => 0,
      ),
      { learning_rate: 5e-3, epochs: 4 },
    );
    expect(report.outcome).toBe('trained');
    const change = makeRows(
      () => 0,
      () => 0,
    ).map(({ ids }) => {
      const own = (params: HostParams) =>
        logprobsOf(params, [...ids])
          .slice(2)
          .reduce((sum, lp) => sum + lp, 0);
      return own(weights) - own(SEED);
    });
    expect(change[0]).toBeGreaterThan(0.05);
    expect(change[1]).toBeLessThan(-0.05);
    expect(change[2]).toBeLessThan(-0.05);
    expect(metrics['kl/mismatch_fresh']).toBeLessThan(1e-9);
    expect(metrics['ratio/ess']).toBeCloseTo(1, 6);
    expect(metrics['kl/approx_kl']).toBeGreaterThan(0);
  });

  it('at the first pass the ratio is exactly 1, so nothing is clipped', async () => {
    const { metrics, report } = await train(
      makeRows(
        () => 0,
        () => 0,
      ),
      { epochs: 1 },
    );
    expect(metrics['ratio/importance_weight_max']).toBe(1);
    expect(metrics['clip/clip_ratio']).toBe(0);
    expect(metrics['kl/ref']).toBeCloseTo(0, 9);
    // one of five warm-up steps
    expect(report.learningRate).toBeCloseTo(1e-4, 12);
  });

  it('steps over what other policies sampled long ago, and trains the rest', async () => {
    const drifted = makeRows(
      (r) => (r === 1 ? 3 : 0),
      (r) => (r === 1 ? 2 : 1),
    );
    const { report, metrics } = await train(drifted, { epochs: 1 });
    expect(report.outcome).toBe('trained');
    const trained = report.passes[0]!.part.inputs.weights.filter((weight) => weight > 0);
    expect(trained).toHaveLength(6);
    expect(trained[0]).toBeCloseTo(1 / 9, 6);
    expect(metrics['kl/behave_k3']).toBeLessThan(1e-6);
    expect(report.drift.dropped).toEqual([{ row: 1, reason: 'drift' }]);
    expect(metrics).toMatchObject({ 'version/tokens_masked_drift': 3, 'version/rows_dropped_drift': 1 });
  });

  it('says no signal when the rows that are left have nothing to prefer', async () => {
    const drifted = makeRows(
      (r) => (r === 0 ? 3 : 0),
      () => 1,
    ).map((row) => ({ ...row, advantage: row.row === 0 ? 1 : 0 }));
    const { report, weights } = await train(drifted);
    expect(report.outcome).toBe('no_signal');
    expect(weights).toEqual(SEED);
  });

  it.each([
    ['every row has drifted', 3, 1, 'drift'],
    ['its own weights would not have sampled it', 3, 0, 'mismatch'],
  ] as const)('trains nothing when %s', async (_case, shift, age, reason) => {
    const { report, weights, optimizer } = await train(
      makeRows(
        () => shift,
        () => age,
      ),
    );
    expect(report.outcome).toBe('too_stale');
    expect(report.drift.dropped).toEqual([0, 1, 2].map((row) => ({ row, reason })));
    expect(weights).toEqual(SEED);
    expect((await optimizer.moments()).step).toBe(0);
  });

  it('keeps broken gradients away from the weights, and gives up at the third in a row', async () => {
    const broken = { ...SEED, 'model.norm.weight': new Float32Array(16).fill(Number.NaN) };
    // drift of NaN is no reason to call a batch stale
    const optimizer = new PolicyOptimizer(CONFIG, SEED, broken, null);
    const parts = packMicrobatches(
      makeRows(
        () => 0,
        () => 0,
      ),
      VERSION,
    );
    const report = await optimizer.train(parts, algorithmSchema.parse({}), HOOKS);
    expect(report).toMatchObject({ outcome: 'skipped', skippedSteps: 2 });
    expect(await optimizer.weights()).toEqual(broken);
    await expect(optimizer.train(parts, algorithmSchema.parse({}), HOOKS)).rejects.toMatchObject({
      exitCode: 14,
      code: 'divergence',
    });
  });

  it('goes on from saved moments as if it had never stopped', async () => {
    const rows = makeRows(
      () => 0,
      () => 0,
    );
    const parts = packMicrobatches(rows, VERSION);
    const algorithm = algorithmSchema.parse({});
    const whole = new PolicyOptimizer(CONFIG, SEED, SEED, null);
    await whole.train(parts, algorithm, HOOKS);
    const resumed = new PolicyOptimizer(CONFIG, SEED, await whole.weights(), await whole.moments());
    await whole.train(parts, algorithm, HOOKS);
    await resumed.train(parts, algorithm, HOOKS);
    expect(await resumed.weights()).toEqual(await whole.weights());
    expect(await resumed.moments()).toEqual(await whole.moments());
  });
});
