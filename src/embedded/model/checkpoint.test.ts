import { mkdtempSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointError, loadCheckpoint, saveCheckpoint } from './checkpoint';
import { parseSafetensors, serializeSafetensors } from './safetensors';
import { TINY_CONFIG, writeTinyCheckpoint } from './testing/tiny-checkpoint';

let folder = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plaudit-checkpoint-'));
  await writeTinyCheckpoint(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = (name: string) => join(folder, name);
const weights = () => path('model.safetensors');

async function failure(): Promise<CheckpointError> {
  const cause: unknown = await loadCheckpoint(folder).then(
    () => new Error('was loaded'),
    (error: unknown) => error,
  );
  if (!(cause instanceof CheckpointError)) throw cause;
  return cause;
}

/** Splits the weights into two files and an index; `edit` may spoil the index. */
async function split(edit: (index: { weight_map: Record<string, unknown> }) => unknown = (index) => index) {
  const { tensors } = parseSafetensors(await readFile(weights()));
  const all = [...tensors];
  const parts = [all.slice(0, 5), all.slice(5)];
  const map: Record<string, unknown> = {};
  for (const [i, part] of parts.entries()) {
    const file = `model-0000${i + 1}-of-00002.safetensors`;
    await writeFile(path(file), serializeSafetensors(part, { step: '7' }));
    for (const [name] of part) map[name] = file;
  }
  await writeFile(path('model.safetensors.index.json'), JSON.stringify(edit({ weight_map: map })));
  await rm(weights());
}

describe('loadCheckpoint', () => {
  it('reads back what saveCheckpoint wrote, and refuses to write over it', async () => {
    const { config, params } = await loadCheckpoint(folder);
    const saved = path('saved');
    await saveCheckpoint(saved, { config, params, metadata: { step: '3' } }, folder);
    const again = await loadCheckpoint(saved);
    expect(again).toMatchObject({ config: TINY_CONFIG, metadata: { step: '3' } });
    expect(again.params).toEqual(params);
    await expect(saveCheckpoint(saved, { config, params }, folder)).rejects.toThrow('exists already');
  });

  it('reads weights in several files as those in one', async () => {
    const whole = await loadCheckpoint(folder);
    await split();
    const sharded = await loadCheckpoint(folder);
    expect(sharded.params).toEqual(whole.params);
    expect(sharded.metadata.step).toBe('7');
  });

  it.each<[string, CheckpointError['kind'], string, () => Promise<void>]>([
    ['no weights', 'missing', 'model.safetensors', () => rm(weights())],
    ['no config', 'missing', 'config.json', () => rm(path('config.json'))],
    ['a config that is not JSON', 'broken', 'not valid JSON', () => writeFile(path('config.json'), '{')],
    ['another architecture', 'unsupported', 'gpt2', () => writeFile(path('config.json'), '{"model_type":"gpt2"}')],
    ['a truncated file', 'broken', 'truncated', () => truncate(weights(), 20_000)],
    ['an empty file', 'broken', 'too short', () => truncate(weights(), 0)],
    ['an index without a map', 'broken', 'weight_map', () => split(() => ({}))],
    ['an index that is a list', 'broken', 'weight_map', () => split(() => [])],
    [
      'a shard that is absent',
      'missing',
      'model-00002-of-00002.safetensors',
      async () => {
        await split();
        await rm(path('model-00002-of-00002.safetensors'));
      },
    ],
    [
      'a truncated shard',
      'broken',
      'model-00001-of-00002.safetensors: truncated',
      async () => {
        await split();
        await truncate(path('model-00001-of-00002.safetensors'), 4_000);
      },
    ],
    [
      'a tensor in another shard than the index says',
      'broken',
      'where the index puts it',
      () =>
        split(({ weight_map: map }) => ({
          weight_map: { ...map, 'model.norm.weight': 'model-00001-of-00002.safetensors' },
        })),
    ],
    [
      'a tensor that the index leaves out',
      'broken',
      'model.norm.weight is absent',
      () =>
        split(({ weight_map: map }) => ({
          weight_map: Object.fromEntries(Object.entries(map).filter(([name]) => name !== 'model.norm.weight')),
        })),
    ],
  ])('refuses %s', async (_name, kind, named, damage) => {
    await damage();
    const error = await failure();
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(named);
  });

  it.each([
    '../secret.safetensors',
    '/etc/model.safetensors',
    'a\\b.safetensors',
    '.hidden.safetensors',
    'model.bin',
    '',
    7,
    null,
  ])('never follows the shard name %j', async (file) => {
    await split(({ weight_map: map }) => ({ weight_map: { ...map, 'model.norm.weight': file } }));
    expect((await failure()).message).toContain('not a file beside it');
  });

  it.each<[string, (data: Float32Array) => { shape: number[]; data: Float32Array | Int32Array } | null, string]>([
    ['is absent', () => null, 'model.norm.weight is absent'],
    ['is too short', (data) => ({ shape: [31], data: data.slice(1) }), 'shape [31], expected [32]'],
    ['has another rank', (data) => ({ shape: [4, 8], data }), 'shape [4,8], expected [32]'],
    ['holds integers', (data) => ({ shape: [32], data: Int32Array.from(data) }), 'does not hold floats'],
    ['holds NaN', (data) => ({ shape: [32], data: data.map(() => Number.NaN) }), 'NaN or infinite'],
    ['holds infinity', (data) => ({ shape: [32], data: data.map(() => Number.POSITIVE_INFINITY) }), 'NaN or infinite'],
  ])('refuses weights where a tensor %s', async (_name, edit, named) => {
    const { tensors } = parseSafetensors(await readFile(weights()));
    const edited = [...tensors].flatMap(([name, tensor]) => {
      const changed = name === 'model.norm.weight' ? edit(tensor.data as Float32Array) : tensor;
      return changed === null ? [] : [[name, changed] as const];
    });
    await writeFile(weights(), serializeSafetensors(edited));
    const error = await failure();
    expect(error.kind).toBe('broken');
    expect(error.message).toContain(named);
  });
});
