import { beforeAll, describe, expect, it } from 'vitest';
import {
  type PolicyLossSettings,
  type PolicyToken,
  policyLossReference,
  tokenTerm,
} from '../trainer/policy-loss-reference';
import { addGradients } from './adamw';
import type { HostParams } from './checkpoint';
import { disposeParams, toDevice, toHost } from './llama-forward';
import { makeTokenLogprobs } from './log-probs';
import { type BehaviourWeight, gradientNorm, makePolicyGradient, type PolicyRows } from './policy-loss';
import { EMBEDDING, LM_HEAD, layerNames } from './tensor-names';
import { startTensorRuntime } from './tensor-runtime';
import { referenceLogits } from './testing/reference-forward';
import { mulberry32, randomParams, TINY_CONFIG } from './testing/tiny-checkpoint';

beforeAll(startTensorRuntime);

const CONFIG = { ...TINY_CONFIG, vocabSize: 40, hiddenSize: 16, heads: 2, kvHeads: 1, intermediateSize: 24 };
const ROWS = 8;
const LENGTH = 6;
const NUMBERS = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3, behaveCap: 5, klBeta: 0.05 };
const SETTINGS: PolicyLossSettings = {
  clip_low: 0.2,
  clip_high: 0.28,
  dual_clip: 3,
  behave_weight: 'mask',
  behave_cap: 5,
  kl_beta: 0.05,
};

/** Log-probabilities of the targets and the distributions' entropies, in float64 loops. */
function referencePass(config: typeof CONFIG, params: HostParams, rows: PolicyRows) {
  const logprobs: number[] = [];
  const entropy: number[] = [];
  for (let row = 0; row < rows.rows; row++) {
    const from = row * rows.length;
    const logits = referenceLogits(config, params, [...rows.ids.subarray(from, from + rows.length)]);
    logits.forEach((values, t) => {
      const scaled = [...values].map((value) => value / rows.temperatures[row]!);
      const top = Math.max(...scaled);
      const logTotal = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0));
      logprobs.push(scaled[rows.targets[from + t]!]! - logTotal);
      entropy.push(-scaled.reduce((sum, value) => sum + Math.exp(value - logTotal) * (value - logTotal), 0));
    });
  }
  return { logprobs, entropy };
}

/** Rows whose ratios reach every branch of the loss: clipped on both sides, dual-clipped, over the cap, beyond the KL clamp. */
function makeRows(config: typeof CONFIG, params: HostParams): PolicyRows & { readonly proximal: Float32Array } {
  const random = mulberry32(11);
  const size = ROWS * LENGTH;
  const token = () => Math.floor(random() * config.vocabSize);
  const rows: PolicyRows = {
    rows: ROWS,
    length: LENGTH,
    ids: Int32Array.from({ length: size }, token),
    targets: Int32Array.from({ length: size }, token),
    temperatures: Float32Array.from({ length: ROWS }, (_, row) => [1, 0.7, 1.3][row % 3]!),
    weights: Float32Array.from({ length: size }, (_, i) => (i % 5 === 0 ? 0 : 1 / size)),
    advantages: Float32Array.from({ length: size }, (_, i) => (Math.floor(i / LENGTH) % 2 === 0 ? 0.7 : -1.3)),
    behave: new Float32Array(size),
    reference: new Float32Array(size),
    proximal: new Float32Array(size),
  };
  const { logprobs } = referencePass(config, params, rows);
  const shifts = [0.05, -0.5, 0.6, -1.9, 0.15, 2.2, -0.1, 0.9];
  const at = (i: number, by: number) => shifts[(i * by) % shifts.length]!;
  const proximal = Float32Array.from(logprobs, (lp, i) => lp + at(i, 3));
  return {
    ...rows,
    proximal,
    behave: proximal.map((lp, i) => lp - at(i, 5)),
    reference: Float32Array.from(logprobs, (lp, i) => lp + 2 * at(i, 7)),
  };
}

function tokensOf(rows: PolicyRows, logprobs: readonly number[], proximal: ArrayLike<number>): PolicyToken[] {
  return logprobs.map((newLogprob, i) => ({
    weight: rows.weights[i]!,
    advantage: rows.advantages[i]!,
    newLogprob,
    proximalLogprob: proximal[i]!,
    behaveLogprob: rows.behave[i]!,
    referenceLogprob: rows.reference[i]!,
  }));
}

/** The loss in float64; the proximal is held still, as the stop-gradient does. */
function referenceLoss(
  settings: PolicyLossSettings,
  config: typeof CONFIG,
  params: HostParams,
  rows: PolicyRows,
  proximal: ArrayLike<number>,
) {
  return policyLossReference(settings, tokensOf(rows, referencePass(config, params, rows).logprobs, proximal));
}

describe('makePolicyGradient', () => {
  it('the rows of this test reach every branch of the loss', () => {
    const host = randomParams(CONFIG, 5);
    const rows = makeRows(CONFIG, host);
    const terms = tokensOf(rows, referencePass(CONFIG, host, rows).logprobs, rows.proximal)
      .filter((token) => token.weight > 0)
      .map((token) => tokenTerm(SETTINGS, token));
    expect(terms.some((term) => term.clipped === 'low')).toBe(true);
    expect(terms.some((term) => term.clipped === 'high')).toBe(true);
    expect(terms.some((term) => term.dualClipped)).toBe(true);
    expect(terms.some((term) => term.filtered)).toBe(true);
    expect(terms.some((term) => term.kl > Math.exp(3) - 4.001)).toBe(true);
  });

  // float32 against float64: 1e-4 of a loss of order 1, 2e-4 absolute on slopes of order 0.1 to 1
  it.each([
    ['mask, stored proximal', 'mask', true, true],
    ['truncate, stored proximal', 'truncate', true, true],
    ['no behaviour weight', 'off', true, true],
    ['proximal from the same pass', 'mask', false, true],
    ['an output head of its own', 'mask', true, false],
  ] as const)('equals the float64 loss and its finite differences: %s', async (_reason, behaveWeight, stored, tied) => {
    const config = { ...CONFIG, tiedEmbeddings: tied };
    const host = randomParams(config, 5);
    const full = makeRows(config, host);
    const rows: PolicyRows = stored ? full : { ...full, proximal: null };
    const settings: PolicyLossSettings = { ...SETTINGS, behave_weight: behaveWeight };
    const pass = referencePass(config, host, rows);
    const proximal = rows.proximal ?? pass.logprobs;
    const params = toDevice(config, host);
    const result = await makePolicyGradient(config, behaveWeight as BehaviourWeight)(params, rows, NUMBERS);
    const actual = await toHost(result.gradients);
    const norm = await gradientNorm(result.gradients);
    disposeParams(result.gradients);
    disposeParams(params);
    expect(Math.abs(result.loss - referenceLoss(settings, config, host, rows, proximal))).toBeLessThan(1e-4);
    pass.logprobs.forEach((lp, i) => {
      expect(Math.abs(result.logprobs[i]! - lp)).toBeLessThan(2e-5);
      expect(Math.abs(result.entropy[i]! - pass.entropy[i]!)).toBeLessThan(1e-4);
    });
    const squares = Object.values(actual).reduce((sum, values) => sum + values.reduce((s, g) => s + g * g, 0), 0);
    expect(Math.abs(norm / Math.sqrt(squares) - 1)).toBeLessThan(1e-5);
    const { q, o, down, inputNorm } = layerNames(1);
    const read = rows.ids[1]!;
    const probes: [string, number][] = [
      [EMBEDDING, read * 16 + 2],
      [EMBEDDING, rows.targets[2]! * 16 + 7],
      [q, 37],
      [o, 20],
      [down, 9],
      [inputNorm, 4],
      ...(tied ? [] : [[LM_HEAD, rows.targets[3]! * 16 + 1] as [string, number]]),
    ];
    for (const [name, index] of probes) {
      const slope = finiteDifference(host, name, index, (changed) =>
        referenceLoss(settings, config, changed, rows, proximal),
      );
      expect(Math.abs(actual[name]![index]! - slope), `${name}[${index}] ${slope}`).toBeLessThan(2e-4);
    }
  });

  it('gives the same gradient in microbatches of 1, of 4 and of 8 rows, to 1e-5 relative', async () => {
    const host = randomParams(CONFIG, 8);
    const rows = makeRows(CONFIG, host);
    const gradientOf = makePolicyGradient(CONFIG, 'mask');
    const params = toDevice(CONFIG, host);
    const whole = await accumulated(gradientOf, params, rows, 8);
    for (const size of [1, 4]) {
      const parts = await accumulated(gradientOf, params, rows, size);
      expect(parts.loss).toBeCloseTo(whole.loss, 5);
      for (const [name, values] of Object.entries(whole.gradients)) {
        const scale = Math.max(...values.map(Math.abs));
        const worst = Math.max(...values.map((g, i) => Math.abs(g - parts.gradients[name]![i]!)));
        expect(worst / scale, `${name} in parts of ${size}`).toBeLessThan(1e-5);
      }
    }
    disposeParams(params);
  });

  it('does not let rows without weight into the gradient', async () => {
    const host = randomParams(CONFIG, 8);
    const rows = makeRows(CONFIG, host);
    const params = toDevice(CONFIG, host);
    const { gradients } = await makePolicyGradient(CONFIG, 'mask')(
      params,
      { ...rows, weights: rows.weights.map(() => 0) },
      NUMBERS,
    );
    expect(await gradientNorm(gradients)).toBe(0);
    disposeParams(gradients);
    disposeParams(params);
  });
});

describe('makeTokenLogprobs', () => {
  it('equals the float64 Llama at each row’s own temperature', async () => {
    const host = randomParams(CONFIG, 3);
    const rows = makeRows(CONFIG, host);
    const params = toDevice(CONFIG, host);
    const actual = await makeTokenLogprobs(CONFIG)(params, rows);
    disposeParams(params);
    referencePass(CONFIG, host, rows).logprobs.forEach((lp, i) => {
      expect(Math.abs(actual[i]! - lp)).toBeLessThan(2e-5);
    });
  });
});

async function accumulated(
  gradientOf: ReturnType<typeof makePolicyGradient>,
  params: ReturnType<typeof toDevice>,
  rows: PolicyRows & { readonly proximal: Float32Array },
  size: number,
) {
  let loss = 0;
  let sum: ReturnType<typeof toDevice> | undefined;
  for (let first = 0; first < ROWS; first += size) {
    const cut = <T extends Float32Array | Int32Array>(values: T): T =>
      values.slice(first * LENGTH, (first + size) * LENGTH) as T;
    const part: PolicyRows = {
      rows: size,
      length: LENGTH,
      ids: cut(rows.ids),
      targets: cut(rows.targets),
      temperatures: rows.temperatures.slice(first, first + size),
      weights: cut(rows.weights),
      advantages: cut(rows.advantages),
      behave: cut(rows.behave),
      reference: cut(rows.reference),
      proximal: cut(rows.proximal),
    };
    const result = await gradientOf(params, part, NUMBERS);
    loss += result.loss;
    sum = sum === undefined ? result.gradients : addGradients(sum, result.gradients);
  }
  const gradients = await toHost(sum!);
  disposeParams(sum!);
  return { loss, gradients };
}

function finiteDifference(
  params: HostParams,
  name: string,
  index: number,
  lossOf: (params: HostParams) => number,
): number {
  // float32 storage: the two stored values are read back, so the step is exact
  const shifted = (by: number): [number, HostParams] => {
    const data = Float32Array.from(params[name]!);
    data[index]! += by;
    return [data[index]!, { ...params, [name]: data }];
  };
  const [high, paramsHigh] = shifted(2e-4);
  const [low, paramsLow] = shifted(-2e-4);
  return (lossOf(paramsHigh) - lossOf(paramsLow)) / (high - low);
}
