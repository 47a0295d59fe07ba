import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Head, headSchema } from '../../shared/wire/trainer';
import { mulberry32 } from '../model/testing/tiny-checkpoint';
import { bundleTrainer } from './testing/bundle-program';
import { writeSpoolBatch } from './testing/spool-builder';
import { makeRun, makeSessions, RUN_ID, TrainerProcess } from './testing/trainer-process';

/** more than the kills can let through, so that every kill finds work */
const BATCHES = 14;
/** one batch whose ratings are all equal, in the middle: it must advance the batch, not the version */
const NO_SIGNAL_BATCH = 5;
const KILLS = 12;

let program: string;
const running: TrainerProcess[] = [];

beforeAll(async () => {
  program = await bundleTrainer();
});

afterEach(async () => {
  for (const trainer of running.splice(0)) await trainer.kill();
});

function start(root: string): TrainerProcess {
  const trainer = new TrainerProcess(program, root);
  running.push(trainer);
  return trainer;
}

async function makeSpooledRun(): Promise<string> {
  const root = await makeRun({ algorithm: { max_token_staleness: 100 } });
  for (let batchId = 1; batchId <= BATCHES; batchId++) {
    const sessions = makeSessions(batchId, { equal: batchId === NO_SIGNAL_BATCH });
    await writeSpoolBatch(root, sessions, { runId: RUN_ID, batchId });
  }
  return root;
}

const readHead = async (root: string): Promise<Head | null> => {
  const text = await readFile(join(root, 'state/HEAD.json'), 'utf8').catch(() => null);
  return text === null ? null : headSchema.parse(JSON.parse(text));
};

describe('the trainer process under kill -9', () => {
  it('applies each batch exactly once: the final bytes are those of an undisturbed run', {
    timeout: 400_000,
  }, async () => {
    const calm = await makeSpooledRun();
    const undisturbed = start(calm);
    await undisturbed.message('ack', (ack) => ack.batch === BATCHES);
    await undisturbed.kill();

    const root = await makeSpooledRun();
    const random = mulberry32(7);
    const committed: number[] = [];
    const acks = new Map<number, number>();
    const served: number[] = [];
    let interrupted = 0;
    for (let life = 0; life <= KILLS; life++) {
      const trainer = start(root);
      if (life < KILLS) {
        // every other time while files are written, else at a random step of the work; then a random moment within it
        const isWriting = life % 2 === 0;
        const wanted = 1 + Math.floor(random() * 8);
        await trainer.message('progress', ({ phase }) =>
          isWriting ? phase === 'save' : trainer.messages.filter((m) => m.type === 'progress').length >= wanted,
        );
        await sleep(random() * 40);
      } else {
        const last = trainer.message('ack', (ack) => ack.batch === BATCHES);
        if ((await readHead(root))?.last_batch !== BATCHES) await last;
      }
      await trainer.kill();
      const lastBatch = (await readHead(root))?.last_batch ?? 0;
      committed.push(lastBatch);
      if (trainer.messages.some((m) => m.type === 'progress' && m.batch > lastBatch)) interrupted += 1;
      for (const message of trainer.messages) {
        if (message.type === 'ack') acks.set(message.batch, (acks.get(message.batch) ?? 0) + 1);
        if (message.type === 'weights') served.push(message.version);
      }
    }

    expect(committed.at(-1)).toBe(BATCHES);
    expect(interrupted, 'the kills fell into batches').toBeGreaterThan(KILLS / 2);
    expect(committed, 'HEAD never goes back').toEqual([...committed].sort((a, b) => a - b));
    expect(served, 'versions never go down').toEqual([...served].sort((a, b) => a - b));
    expect(
      [...acks.values()].every((count) => count === 1),
      'no batch is acknowledged twice',
    ).toBe(true);
    const [head, expected] = [await readHead(root), await readHead(calm)];
    expect(head).toEqual(expected);
    expect(head).toMatchObject({ version: BATCHES - 1, incarnation: 0, last_batch: BATCHES });
    for (const file of [
      `${head!.weights}/model.safetensors`,
      `${head!.ckpt}/optimizer.safetensors`,
      `${head!.ckpt}/state.json`,
    ]) {
      const [actual, calmBytes] = [await readFile(join(root, file)), await readFile(join(calm, file))];
      expect(actual.equals(calmBytes), file).toBe(true);
    }
    const state = JSON.parse(await readFile(join(root, head!.ckpt!, 'state.json'), 'utf8'));
    expect(state.step, 'two epochs of each batch with a signal').toBe(2 * (BATCHES - 1));
  });
});
