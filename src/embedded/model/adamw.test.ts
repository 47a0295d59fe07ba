import { beforeAll, describe, expect, it } from 'vitest';
import { type AdamWState, type AdamWStep, addGradients, makeAdamW } from './adamw';
import { type DeviceParams, np, startTensorRuntime, tree } from './tensor-runtime';

beforeAll(startTensorRuntime);

const SHAPES: Readonly<Record<string, readonly number[]>> = { 'a.weight': [2, 2], 'norm.weight': [3] };
type Values = Readonly<Record<string, readonly number[]>>;

const START: Values = { 'a.weight': [0.5, -1, 2, 0.25], 'norm.weight': [1, 1, 1] };
const GRADIENTS: readonly Values[] = [
  { 'a.weight': [0.1, -0.2, 0.05, 0], 'norm.weight': [0.01, 0, -0.3] },
  { 'a.weight': [3, 4, -1, 2], 'norm.weight': [0, 0.5, 0.5] },
  { 'a.weight': [-0.1, 0, 0.02, 0.4], 'norm.weight': [0.2, -0.2, 0.1] },
];

function toTensors(values: Values): DeviceParams {
  const tensors: DeviceParams = {};
  for (const [name, data] of Object.entries(values))
    tensors[name] = np.array(Float32Array.from(data)).reshape([...SHAPES[name]!]);
  return tensors;
}

async function toValues(tensors: DeviceParams): Promise<Record<string, number[]>> {
  const values: Record<string, number[]> = {};
  for (const [name, tensor] of Object.entries(tensors)) values[name] = [...(await tensor.data())];
  return values;
}

/** AdamW in float64, straight from the paper: one parameter at a time. */
function expectedAfter(settings: Required<AdamWStep>): { params: Values; norms: number[] } {
  const params = Object.fromEntries(Object.entries(START).map(([name, data]) => [name, [...data]]));
  const m: Record<string, number[]> = {};
  const v: Record<string, number[]> = {};
  const norms = GRADIENTS.map((gradients, i) => {
    const norm = Math.sqrt(
      Object.values(gradients)
        .flat()
        .reduce((sum, g) => sum + g * g, 0),
    );
    const scale = Math.min(1, settings.gradientClip / (norm + 1e-6));
    for (const [name, data] of Object.entries(params)) {
      data.forEach((theta, j) => {
        const g = gradients[name]![j]! * scale;
        m[name] ??= data.map(() => 0);
        v[name] ??= data.map(() => 0);
        m[name][j] = 0.9 * m[name][j]! + 0.1 * g;
        v[name][j] = 0.95 * v[name][j]! + 0.05 * g * g;
        const mHat = m[name][j]! / (1 - 0.9 ** (i + 1));
        const vHat = v[name][j]! / (1 - 0.95 ** (i + 1));
        const decay = name === 'norm.weight' ? 0 : settings.weightDecay;
        data[j] = theta - settings.learningRate * (mHat / (Math.sqrt(vHat) + 1e-8) + decay * theta);
      });
    }
    return norm;
  });
  return { params, norms };
}

describe('makeAdamW', () => {
  it.each([
    ['no clipping, no decay', { learningRate: 0.1, gradientClip: 100, weightDecay: 0 }],
    ['gradients clipped at norm 1', { learningRate: 0.01, gradientClip: 1, weightDecay: 0 }],
    ['decoupled decay of matrices only', { learningRate: 0.05, gradientClip: 1, weightDecay: 0.1 }],
  ])('follows the paper over three steps: %s', async (_reason, settings) => {
    const adamw = makeAdamW();
    let params = toTensors(START);
    const zero = (): DeviceParams => toTensors({ 'a.weight': [0, 0, 0, 0], 'norm.weight': [0, 0, 0] });
    let state: AdamWState = { step: 0, m: zero(), v: zero() };
    const norms: number[] = [];
    for (const gradients of GRADIENTS) {
      const result = adamw(params, toTensors(gradients), state, settings);
      ({ params, state } = result);
      norms.push((await result.gradientNorm.data())[0]!);
    }
    const expected = expectedAfter(settings);
    const actual = await toValues(params);
    expect(state.step).toBe(3);
    norms.forEach((norm, i) => {
      expect(norm).toBeCloseTo(expected.norms[i]!, 5);
    });
    for (const [name, data] of Object.entries(expected.params)) {
      data.forEach((value, i) => {
        expect(actual[name]![i]).toBeCloseTo(value, 5);
      });
    }
    tree.dispose(state.m);
    tree.dispose(state.v);
  });

  it('moves a parameter by the learning rate at the first step, whatever the size of its gradient', async () => {
    const state = { step: 0, m: { w: np.zeros([2, 1]) }, v: { w: np.zeros([2, 1]) } };
    const gradients = { w: np.array(Float32Array.from([1e-3, -20])).reshape([2, 1]) };
    const { params, state: next } = makeAdamW()({ w: np.zeros([2, 1]) }, gradients, state, {
      learningRate: 0.1,
      gradientClip: 1e9,
    });
    const moved = [...(await params.w!.data())];
    expect(moved[0]).toBeCloseTo(-0.1, 5);
    expect(moved[1]).toBeCloseTo(0.1, 5);
    tree.dispose(next.m);
    tree.dispose(next.v);
  });
});

describe('addGradients', () => {
  it('adds element by element', async () => {
    const sum = await toValues(addGradients(toTensors(GRADIENTS[0]!), toTensors(GRADIENTS[2]!)));
    expect(sum['norm.weight']!.map((x) => Number(x.toFixed(6)))).toEqual([0.21, -0.2, -0.2]);
  });
});
