import { beforeAll, describe, expect, it } from 'vitest';
import type { LlamaConfig } from './llama-config';
import { disposeParams, embed, forward, toDevice, toHost } from './llama-forward';
import { ropeTable, ropeTensors } from './rope';
import { EMBEDDING } from './tensor-names';
import { type DeviceParams, np, startTensorRuntime, type Tensor, tree, valueAndGrad } from './tensor-runtime';
import { referenceLogits } from './testing/reference-forward';
import { randomParams, TINY_CONFIG } from './testing/tiny-checkpoint';

beforeAll(startTensorRuntime);

const ids = [
  [1, 7, 33, 2, 90],
  [258, 0, 4, 4, 17],
];

async function logitsOf(config: LlamaConfig, seed: number): Promise<Float32Array> {
  const params = toDevice(config, randomParams(config, seed));
  const x = embed(params[EMBEDDING]!.ref, np.array(Int32Array.from(ids.flat())).reshape([2, 5]));
  const { cos, sin } = ropeTensors(ropeTable(config, 5), 5);
  return Float32Array.from(await forward(config, params, x, cos, sin).data());
}

describe('forward', () => {
  it.each([
    ['grouped-query attention', {}],
    ['one key head per query head', { kvHeads: 4 }],
    ['one key head for all', { kvHeads: 1 }],
    ['an output head of its own', { tiedEmbeddings: false }],
    ['a head size that is not hidden / heads', { headSize: 12 }],
  ] satisfies [string, Partial<LlamaConfig>][])('equals a plain scalar Llama with %s', async (_reason, change) => {
    const config = { ...TINY_CONFIG, ...change };
    const actual = await logitsOf(config, 3);
    const host = randomParams(config, 3);
    const expected = ids.flatMap((row) => referenceLogits(config, host, row).flatMap((logits) => [...logits]));
    expect(actual.length).toBe(expected.length);
    const worst = Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!)));
    expect(worst).toBeLessThan(2e-5);
  });

  it('is differentiable by parameters and by the looked-up embedding', async () => {
    const config = TINY_CONFIG;
    const params = toDevice(config, randomParams(config, 4));
    const x = embed(params[EMBEDDING]!.ref, np.array(Int32Array.from(ids.flat())).reshape([2, 5]));
    const { cos, sin } = ropeTensors(ropeTable(config, 5), 5);
    const loss = (p: DeviceParams, e: Tensor) => forward(config, p, e, cos, sin).mul(0.01).sum();
    const [value, [gradParams, gradX]] = valueAndGrad(loss, { argnums: [0, 1] })(tree.ref(params), x) as unknown as [
      Tensor,
      [DeviceParams, Tensor],
    ];
    expect(Number.isFinite((await value.data())[0])).toBe(true);
    expect(Object.keys(gradParams).sort()).toEqual(Object.keys(params).sort());
    const gradients = await toHost(gradParams);
    expect(Object.values(gradients).every((g) => g.every(Number.isFinite))).toBe(true);
    expect(gradX.shape).toEqual([2, 5, config.hiddenSize]);
    gradX.dispose();
    disposeParams(gradParams);
    disposeParams(params);
  });
});
