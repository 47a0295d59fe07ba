import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCheckpoint } from '../../src/embedded/model/checkpoint';
import { crossEntropyLoss } from '../../src/embedded/model/cross-entropy-loss';
import { embed, toDevice } from '../../src/embedded/model/llama-forward';
import { ropeTable, ropeTensors } from '../../src/embedded/model/rope';
import { EMBEDDING, parameterCount } from '../../src/embedded/model/tensor-names';
import { np, startTensorRuntime } from '../../src/embedded/model/tensor-runtime';
import { seededRandom } from '../../src/embedded/world/random';
import { makeChatEncoder } from './chat-encoder';
import { DEMO_CONFIG } from './model-files';
import { packRows, type RowShape } from './packing';

const FOLDER = fileURLToPath(new URL('../../assets/demo-model', import.meta.url));

beforeAll(startTensorRuntime);

/** Weighted loss on chats that no training step has used. */
async function freshLoss(shape: RowShape): Promise<number> {
  const { config, params: host } = await loadCheckpoint(FOLDER);
  const json = async (name: string) => JSON.parse(await readFile(join(FOLDER, name), 'utf8'));
  const encoder = makeChatEncoder(await json('tokenizer.json'), await json('tokenizer_config.json'));
  const { ids, targets, weights } = packRows(seededRandom(31), encoder, shape);
  const total = weights.reduce((a, b) => a + b, 0);
  const size = [shape.rows, shape.length];
  const params = toDevice(config, host);
  const x = embed(params[EMBEDDING]!.ref, np.array(ids).reshape(size));
  const loss = crossEntropyLoss(config, params, x, {
    targets: np.array(targets).reshape(size),
    weights: np.array(weights.map((weight) => weight / total)).reshape(size),
    ...ropeTensors(ropeTable(config, shape.length), shape.length),
  });
  return (await loss.data())[0]!;
}

describe('assets/demo-model', () => {
  it('is the model that the script makes', async () => {
    const { config, params } = await loadCheckpoint(FOLDER);
    expect(config).toEqual(DEMO_CONFIG);
    expect(parameterCount(config)).toBe(902_272);
    expect(params[EMBEDDING]!.some((weight) => weight !== 0)).toBe(true);
  });

  // an untrained model, or one with another tokenizer, is at ln 768 = 6.6 or above
  it.each<[string, RowShape]>([
    ['short chats', { rows: 4, length: 128, chats: 'short' }],
    ['long chats, up to the last position', { rows: 1, length: 256, chats: 'long' }],
  ])('speaks the language of its world: %s', async (_reason, shape) => {
    expect(await freshLoss(shape)).toBeLessThan(0.8);
  });
});
