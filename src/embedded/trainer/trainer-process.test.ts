import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { headSchema, weightsManifestSchema } from '../../shared/wire/trainer';
import { writeSpoolBatch } from './testing/spool-builder';
import { bundleTrainer, makeRun, makeSessions, RUN_ID, TrainerProcess } from './testing/trainer-process';

let program: string;
const running: TrainerProcess[] = [];

beforeAll(async () => {
  program = await bundleTrainer();
});

afterEach(async () => {
  for (const trainer of running.splice(0)) await trainer.kill();
});

function start(root: string, flags?: readonly string[]): TrainerProcess {
  const trainer = new TrainerProcess(program, root, flags);
  running.push(trainer);
  return trainer;
}

const readHead = async (root: string) =>
  headSchema.parse(JSON.parse(await readFile(join(root, 'state/HEAD.json'), 'utf8')));

describe('the trainer process', () => {
  it('trains a spooled batch and commits it: weights, state and HEAD', async () => {
    const root = await makeRun();
    await writeSpoolBatch(root, makeSessions(1), { runId: RUN_ID, batchId: 1 });
    const trainer = start(root);
    const ack = await trainer.message('ack');
    expect(ack).toMatchObject({ batch: 1, status: 'trained', version: 1 });
    expect(trainer.messages[0]).toMatchObject({ type: 'hello', schema: 'rlt/1' });
    expect(await trainer.message('ready')).toMatchObject({ version: 0, last_batch: 0 });
    expect(await trainer.finish()).toBe(20);
    const head = await readHead(root);
    expect(head).toMatchObject({
      version: 1,
      incarnation: 0,
      last_batch: 1,
      status: 'trained',
      weights: 'weights/v000001.i0',
    });
    const manifest = weightsManifestSchema.parse(
      JSON.parse(await readFile(join(root, head.weights!, 'weights.json'), 'utf8')),
    );
    expect(manifest).toMatchObject({ version: 1, incarnation: 0, kind: 'full', parent_version: 0, batch_id: 1 });
    expect((await readdir(join(root, head.weights!))).sort()).toEqual(
      ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'weights.json'].sort(),
    );
  });
});
