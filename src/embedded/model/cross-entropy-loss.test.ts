import { beforeAll, describe, expect, it } from 'vitest';
import { makeAdamW, zeroState } from './adamw';
import type { HostParams } from './checkpoint';
import { makeCrossEntropyGradient } from './cross-entropy-loss';
import { disposeParams, toDevice, toHost } from './llama-forward';
import { ropeTable, ropeTensors } from './rope';
import { EMBEDDING, LM_HEAD, layerNames } from './tensor-names';
import { np, startTensorRuntime, tree } from './tensor-runtime';
import { referenceLogits } from './testing/reference-forward';
import { randomParams, TINY_CONFIG } from './testing/tiny-checkpoint';

beforeAll(startTensorRuntime);

const CONFIG = { ...TINY_CONFIG, vocabSize: 40, hiddenSize: 16, heads: 2, kvHeads: 1, intermediateSize: 24 };
const ROWS = [
  [1, 7, 33, 2, 9, 7],
  [38, 0, 4, 4, 17, 1],
];
const LENGTH = 5;
/** uneven on purpose: a weight of 0, a light one, and a total of 1 */
const WEIGHTS = [0, 0.05, 0.2, 0.1, 0.15, 0.1, 0.05, 0.05, 0.1, 0.2];

function batch() {
  const { cos, sin } = ropeTensors(ropeTable(CONFIG, LENGTH), LENGTH);
  const rows = (from: number) => Int32Array.from(ROWS.flatMap((row) => row.slice(from, from + LENGTH)));
  return {
    ids: np.array(rows(0)).reshape([2, LENGTH]),
    targets: np.array(rows(1)).reshape([2, LENGTH]),
    weights: np.array(Float32Array.from(WEIGHTS)).reshape([2, LENGTH]),
    cos,
    sin,
  };
}

/** The same loss in float64 loops. */
function referenceLoss(config: typeof CONFIG, params: HostParams): number {
  let loss = 0;
  ROWS.forEach((row, b) => {
    referenceLogits(config, params, row.slice(0, LENGTH)).forEach((logits, t) => {
      const top = Math.max(...logits);
      const logTotal = top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
      loss -= WEIGHTS[b * LENGTH + t]! * (logits[row[t + 1]!]! - logTotal);
    });
  });
  return loss;
}

describe('makeCrossEntropyGradient', () => {
  it.each([
    ['tied embeddings', true],
    ['an output head of its own', false],
  ])('agrees with finite differences of a float64 Llama: %s', async (_reason, tiedEmbeddings) => {
    const config = { ...CONFIG, tiedEmbeddings };
    const host = randomParams(config, 5);
    const params = toDevice(config, host);
    const { loss, gradients } = makeCrossEntropyGradient(config)(params, batch());
    expect((await loss.data())[0]).toBeCloseTo(referenceLoss(config, host), 5);
    const actual = await toHost(gradients);
    disposeParams(gradients);
    disposeParams(params);
    const { q, o, down, inputNorm } = layerNames(1);
    // token 7 is read and predicted, 3 is neither
    const probes: [string, number][] = [
      [EMBEDDING, 7 * 16 + 2],
      [EMBEDDING, 3 * 16],
      [EMBEDDING, 38 * 16 + 5],
      [q, 37],
      [o, 20],
      [down, 9],
      [inputNorm, 4],
      ...(tiedEmbeddings ? [] : [[LM_HEAD, 9 * 16 + 1] as [string, number]]),
    ];
    for (const [name, index] of probes) {
      expect(actual[name]![index], `${name}[${index}]`).toBeCloseTo(slope(config, host, name, index), 4);
    }
  });

  it('with AdamW, learns two rows by heart', async () => {
    const gradientOf = makeCrossEntropyGradient(CONFIG);
    const adamw = makeAdamW();
    let params = toDevice(CONFIG, randomParams(CONFIG, 6));
    let state = zeroState(CONFIG);
    const losses: number[] = [];
    for (let step = 0; step < 60; step++) {
      const { loss, gradients } = gradientOf(params, batch());
      const result = adamw(params, gradients, state, { learningRate: 0.01 });
      ({ params, state } = result);
      result.gradientNorm.dispose();
      losses.push((await loss.data())[0]!);
    }
    expect(losses[0]).toBeGreaterThan(3);
    expect(losses[losses.length - 1]).toBeLessThan(0.1);
    disposeParams(params);
    tree.dispose(state.m);
    tree.dispose(state.v);
  });
});

function slope(config: typeof CONFIG, params: HostParams, name: string, index: number): number {
  // float32 storage: the two stored values are read back, so the step is exact
  const shifted = (by: number): [number, HostParams] => {
    const data = Float32Array.from(params[name]!);
    data[index]! += by;
    return [data[index]!, { ...params, [name]: data }];
  };
  const [high, paramsHigh] = shifted(1e-3);
  const [low, paramsLow] = shifted(-1e-3);
  return (referenceLoss(config, paramsHigh) - referenceLoss(config, paramsLow)) / (high - low);
}
