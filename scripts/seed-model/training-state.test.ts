import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tensorShapes } from '../../src/embedded/model/tensor-names';
import { initialParams } from './initial-params';
import { DEMO_CONFIG } from './model-files';
import { loadState, saveState } from './training-state';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plaudit-seed-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CONFIG = {
  ...DEMO_CONFIG,
  vocabSize: 40,
  hiddenSize: 16,
  heads: 2,
  kvHeads: 2,
  headSize: 8,
  intermediateSize: 24,
};

describe('saveState and loadState', () => {
  // a resumed run once read every tensor from the start of the file and trained on NaN
  it('bring back every parameter and both moments bit for bit', async () => {
    const path = join(folder, 'state.safetensors');
    const state = {
      step: 923,
      seed: 5,
      params: initialParams(CONFIG, 1),
      m: initialParams(CONFIG, 2),
      v: initialParams(CONFIG, 3),
    };
    await saveState(path, CONFIG, state);
    const loaded = await loadState(path, CONFIG);
    expect({ step: loaded.step, seed: loaded.seed }).toEqual({ step: 923, seed: 5 });
    for (const part of ['params', 'm', 'v'] as const) {
      expect(Object.keys(loaded[part])).toEqual([...tensorShapes(CONFIG).keys()]);
      for (const [name, data] of Object.entries(state[part]))
        expect(loaded[part][name], `${part} ${name}`).toEqual(data);
    }
  });

  it('refuses a state of another shape of model', async () => {
    const path = join(folder, 'state.safetensors');
    const params = initialParams(CONFIG, 1);
    await saveState(path, CONFIG, { step: 1, seed: 1, params, m: params, v: params });
    await expect(loadState(path, { ...CONFIG, layers: CONFIG.layers + 1 })).rejects.toThrow(/is absent/);
  });
});

describe('initialParams', () => {
  it('is the same for the same seed, with norms of 1', () => {
    const params = initialParams(CONFIG, 1);
    expect(initialParams(CONFIG, 1)).toEqual(params);
    expect(initialParams(CONFIG, 2)['model.embed_tokens.weight']).not.toEqual(params['model.embed_tokens.weight']);
    expect(params['model.norm.weight']!.every((weight) => weight === 1)).toBe(true);
  });
});
