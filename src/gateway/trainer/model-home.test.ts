import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { durableFiles } from '../platform/durable-files';
import { findModel, identifyModel } from './model-home';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'model-home-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A folder with what identifies a model. */
function model(path: string, shape: string, vocabulary = 'a b c'): string {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), shape);
  writeFileSync(join(folder, 'tokenizer.json'), vocabulary);
  return folder;
}
const digestOf = async (folder: string): Promise<string> => (await identifyModel(durableFiles, folder)) ?? 'none';

describe('the model of a run', () => {
  it('is where it was, whatever the program was started with', async () => {
    const own = model('old/demo', 'small');
    const present = model('new/demo', 'large');
    const home = await findModel(durableFiles, { model_path: own }, { root, present, weights: null });
    expect(home).toEqual({ kind: 'at-home' });
  });

  it('has not moved when it is named as before, wherever that is relative to', async () => {
    const run = { model_path: 'assets/demo' };
    const home = await findModel(durableFiles, run, { root, present: 'assets/demo', weights: null });
    expect(home).toEqual({ kind: 'at-home' });
  });

  it('may be named relative to the run', async () => {
    model('run/model', 'small');
    const present = model('new/demo', 'large');
    const home = await findModel(
      durableFiles,
      { model_path: 'model' },
      { root: join(root, 'run'), present, weights: null },
    );
    expect(home).toEqual({ kind: 'at-home' });
  });

  it('is found again in another place by its digest, whatever the folder is called', async () => {
    const digest = await digestOf(model('first/demo', 'small'));
    const present = model('second/other-name', 'small');
    const run = { model_path: join(root, 'gone', 'demo'), model_digest: digest };
    expect(await findModel(durableFiles, run, { root, present, weights: null })).toEqual({
      kind: 'moved',
      path: present,
    });
  });

  it.each([
    ['another shape', 'large', 'a b c'],
    ['another vocabulary', 'small', 'c b a'],
  ])('is not taken for one with %s', async (_what, shape, vocabulary) => {
    const digest = await digestOf(model('first/demo', 'small'));
    const present = model('second/demo', shape, vocabulary);
    const run = { model_path: join(root, 'gone', 'demo'), model_digest: digest };
    expect(await findModel(durableFiles, run, { root, present, weights: null })).toEqual({ kind: 'gone' });
  });

  it.each([
    ['the same', 'small', 'moved'],
    ['another', 'large', 'gone'],
  ])('of a run without a digest is told by its newest weights: %s', async (_what, shape, kind) => {
    const weights = model('run/weights/v3', 'small');
    const present = model('second/renamed', shape);
    const run = { model_path: join(root, 'gone', 'demo') };
    expect((await findModel(durableFiles, run, { root, present, weights })).kind).toBe(kind);
  });

  it.each([
    ['demo', 'moved'],
    ['renamed', 'gone'],
  ])('of a run that has neither is told by the name of its folder: %s', async (name, kind) => {
    const present = model(`second/${name}`, 'small');
    const run = { model_path: join(root, 'gone', 'demo/') };
    expect((await findModel(durableFiles, run, { root, present, weights: null })).kind).toBe(kind);
  });

  it('is gone when the present folder holds none', async () => {
    const present = join(root, 'empty', 'demo');
    const run = { model_path: join(root, 'gone', 'demo') };
    expect(await findModel(durableFiles, run, { root, present, weights: null })).toEqual({ kind: 'gone' });
  });
});
