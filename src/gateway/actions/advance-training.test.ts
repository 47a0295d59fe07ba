import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { interactionId } from '../../shared/domain/ids';
import { algorithmSchema, TRAINER_SCHEMA } from '../../shared/wire/trainer';
import { type DurableFiles, durableFiles } from '../platform/durable-files';
import { TrainingBench } from '../trainer/testing/training-bench';

const benches: TrainingBench[] = [];
const create = (batchSize: number, files?: DurableFiles): TrainingBench => {
  const bench = new TrainingBench(batchSize, files);
  benches.push(bench);
  return bench;
};
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

const states = (bench: TrainingBench): string[] =>
  bench.receipts
    .list(1000)
    .map(({ interaction_id, state }) => `${interaction_id} ${state}`)
    .sort();

interface Death {
  readonly code?: number;
  readonly signal?: string;
  readonly error?: string;
  /** it had not said a word about the batch */
  readonly idle?: boolean;
}

function dieOn(bench: TrainingBench, batch: number, { code, signal, error, idle }: Death): void {
  bench.say({ type: 'ready', version: 0, last_batch: 0 });
  if (idle !== true) bench.say({ type: 'progress', batch, phase: 'train', frac: 0.5 });
  if (error !== undefined) bench.say({ type: 'error', code: 'crash', message: error, retryable: true });
  bench.die(code ?? null, signal ?? null);
}

async function setAside(bench: TrainingBench): Promise<void> {
  await bench.pass();
  for (let crash = 1; crash <= 3; crash += 1) dieOn(bench, 1, { code: 1 });
  await expect.poll(() => bench.hasSkip(1)).toBe(true);
  bench.trainer.step();
  bench.say({ type: 'ready', version: 0, last_batch: 1 });
  await bench.pass();
}

describe('TrainingCoordinator', () => {
  it('waits until the batch is full, counting what is open apart', async () => {
    const bench = create(2);
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(-1, { end: false });
    await bench.pass();
    expect(gateway.batch()).toEqual({ size: 2, filled: 1, open_rated: 1, next_id: 1 });
    expect(bench.receipts.counts()).toEqual({ waiting: 2, in_batch: [], trained: [], dropped: [] });
  });

  it('takes a rating from waiting to trained, and serves the version', async () => {
    const bench = create(2);
    bench.start();
    bench.say({ type: 'ready', version: 0, last_batch: 0 });
    bench.rate(1);
    bench.rate(-1);
    await bench.pass();
    expect(states(bench)).toEqual(['i-1 in-batch', 'i-2 in-batch']);
    expect(bench.commands).toContainEqual({ type: 'batch', id: 1, path: expect.stringContaining('000001') });
    bench.trainer.step();
    await bench.pass();
    expect(states(bench)).toEqual(['i-1 trained', 'i-2 trained']);
    expect(bench.engine.served).toBe(1);
    expect(
      bench.versions.list().map(({ version, batch_id, served_at }) => [version, batch_id, served_at !== null]),
    ).toEqual([
      [0, null, true],
      [1, 1, true],
    ]);
    expect(bench.receipts.counts().trained).toEqual([{ version: 1, count: 2 }]);
  });

  it.each([
    ['no_signal', /no signal: batch 1 had equal rewards/],
    ['too_stale', /too stale: batch 1/],
  ] as const)('says why a batch that ended as %s trained nothing, and makes no version', async (status, reason) => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step(status);
    await bench.pass();
    expect(bench.receipts.list(1)[0]).toMatchObject({
      state: 'dropped',
      reason: expect.stringMatching(reason),
      version: null,
    });
    expect(bench.engine.history).toEqual([]);
  });

  it('says of each row that the trainer left out that it taught nothing, and of the others that they did', async () => {
    const bench = create(3);
    bench.start();
    for (const value of [1, -1, 1]) bench.rate(value);
    await bench.pass();
    bench.trainer.step('trained', [{ row: 1, reason: 'drift' }]);
    await bench.pass();
    expect(states(bench)).toEqual(['i-1 trained', 'i-2 dropped', 'i-3 trained']);
    expect(bench.receipts.counts()).toMatchObject({
      trained: [{ version: 1, count: 2 }],
      dropped: [{ reason: expect.stringMatching(/too stale: the weights had moved too far/), count: 1 }],
    });
    expect(bench.versions.list()[1]).toMatchObject({ version: 1, trajectories: 2, reward_mean: 1 });
  });

  it('drops what is too old when the batch forms, with the reason in words', async () => {
    const bench = create(1);
    bench.start();
    const late = bench.rate(1, { version: 0 });
    bench.rewards.withdraw(interactionId(late), 0);
    for (let version = 1; version <= 5; version += 1) {
      bench.rate(1);
      await bench.pass();
      bench.trainer.step();
      await bench.pass();
    }
    bench.rewards.set({ interactionId: interactionId(late), value: 1, raterId: null, note: null, ratedAt: bench.now });
    await bench.pass();
    const receipt = bench.receipts.list(100).find(({ interaction_id }) => interaction_id === late);
    expect(receipt).toMatchObject({ state: 'dropped', reason: 'too stale: sampled by v0, now v5, limit 4' });
  });

  it('judges the age of a row by the limit of its run, not by the one configured since', async () => {
    const bench = create(1);
    const run = {
      schema: TRAINER_SCHEMA,
      run_id: 'r',
      model_path: '/model',
      algorithm: algorithmSchema.parse({ max_token_staleness: 0 }),
      seed: 1,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    writeFileSync(join(bench.dir, 'run.json'), JSON.stringify(run));
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    const old = bench.rate(1, { version: 0 });
    await bench.pass();
    expect(bench.receipts.list(100).find(({ interaction_id }) => interaction_id === old)).toMatchObject({
      state: 'dropped',
      reason: 'too stale: sampled by v0, now v1, limit 0',
    });
  });

  it('sets a batch aside after the trainer crashed on it three times, and says so with the reason', async () => {
    const bench = create(2);
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(-1);
    await bench.pass();
    for (let crash = 1; crash <= 3; crash += 1) dieOn(bench, 1, { code: 1, error: 'a tensor is absent' });
    await expect.poll(() => bench.hasSkip(1)).toBe(true);
    expect(bench.trainer.step()?.status).toBe('skipped');
    await bench.pass();
    expect(bench.receipts.list(1)[0]).toMatchObject({
      state: 'dropped',
      reason:
        'batch 1 made the trainer fail 3 times and was set aside; nothing of it was trained (exit code 1: a tensor is absent)',
    });
    expect(gateway.setAside()).toMatchObject([{ batchId: 1, ratings: 2, reason: expect.stringContaining('absent') }]);
    expect(gateway.trouble().map(({ kind }) => kind)).toContain('batch-set-aside-1');
    await bench.kill();
    expect(bench.start().setAside()).toHaveLength(1);
  });

  it('tries the ratings of a set-aside batch again under a new number, once', async () => {
    const bench = create(2);
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(-1);
    await setAside(bench);
    expect(gateway.retryBatch(1)).toBe(true);
    expect(gateway.retryBatch(1)).toBe(false);
    await bench.pass();
    expect(states(bench)).toEqual(['i-1 in-batch', 'i-2 in-batch']);
    expect(gateway.setAside()).toEqual([]);
    expect(gateway.trouble()).toEqual([]);
    expect(bench.trainer.step()).toMatchObject({ last_batch: 2, status: 'trained' });
    await bench.pass();
    expect(bench.receipts.counts()).toMatchObject({ trained: [{ version: 1, count: 2 }], dropped: [] });
  });

  it('leaves the ratings of a dismissed batch untrained, and asks no more', async () => {
    const bench = create(2);
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(-1);
    await setAside(bench);
    expect(gateway.dismissBatch(1)).toBe(true);
    expect(gateway.setAside()).toEqual([]);
    expect(gateway.retryBatch(1)).toBe(false);
    await bench.pass();
    expect(states(bench)).toEqual(['i-1 dropped', 'i-2 dropped']);
  });

  it.each([
    ['a batch that was trained', 'trained', 1],
    ['a batch that never was', 'trained', 7],
    ['a batch that had no signal', 'no_signal', 1],
  ] as const)('gives back no rating of %s', async (_case, status, batchId) => {
    const bench = create(2);
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(-1);
    await bench.pass();
    expect(gateway.retryBatch(1)).toBe(false);
    bench.trainer.step(status);
    await bench.pass();
    const before = states(bench);
    expect(gateway.retryBatch(batchId)).toBe(false);
    await bench.pass();
    expect(states(bench)).toEqual(before);
  });

  it.each([
    ['a crash counts as one of three', [{ code: 1 }, { code: 1 }, { code: 1 }], true],
    ['an abort of its own too', [{ signal: 'SIGABRT' }, { signal: 'SIGSEGV' }, { code: 1 }], true],
    ['a kill from outside does not', Array(5).fill({ signal: 'SIGKILL' }), false],
    ['but six deaths of any kind are enough', Array(6).fill({ signal: 'SIGKILL' }), true],
    ['a stop that was asked for is none', Array(8).fill({ code: 20 }), false],
    ['a full disk is none', Array(8).fill({ code: 15 }), false],
    ['a kill before the first word about the batch is none', Array(8).fill({ signal: 'SIGKILL', idle: true }), false],
  ] as const)('%s', async (_case, deaths, isSetAside) => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    for (const death of deaths) dieOn(bench, 1, death);
    await bench.pass();
    await bench.pass();
    expect(bench.hasSkip(1)).toBe(isSetAside);
  });

  it('sets a batch aside that kills the trainer before its first word, and blames no batch that HEAD has', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    for (let crash = 1; crash <= 3; crash += 1) {
      bench.say({ type: 'ready', version: 0, last_batch: 0 });
      await bench.pass();
      expect(bench.commands.at(-1)).toMatchObject({ type: 'batch', id: 1 });
      bench.die(null);
    }
    await expect.poll(() => bench.hasSkip(1)).toBe(true);
    bench.trainer.step();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    for (let crash = 1; crash <= 4; crash += 1) {
      bench.say({ type: 'progress', batch: 2, phase: 'save', frac: 1 });
      bench.die(null);
    }
    await bench.pass();
    expect(bench.hasSkip(2)).toBe(false);
    expect(bench.batches.find(2)?.state).toBe('trained');
  });

  it('tells the trainer the settings at every ready and at every change, and forms batches with them', async () => {
    const bench = create(2);
    const gateway = bench.start();
    bench.say({ type: 'ready', version: 0, last_batch: 0 });
    const sets = () => bench.commands.filter(({ type }) => type === 'set');
    expect(sets()).toEqual([{ type: 'set', values: { baseline: 'batch_loo', learning_rate: 5e-4, kl_beta: 0.02 } }]);
    gateway.changeSettings({ learning_rate: 1e-4, baseline: 'batch' });
    expect(sets()[1]).toEqual({ type: 'set', values: { baseline: 'batch', learning_rate: 1e-4, kl_beta: 0.02 } });
    bench.rate(1);
    bench.rate(-1);
    await bench.pass();
    const { normalised } = bench.batches.items(1)[0] ?? {};
    expect(normalised).toBeCloseTo(Math.SQRT1_2, 4);
  });

  it('reads back the reports of batches whose message nobody heard', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    await bench.kill();
    const report = { type: 'metrics', batch: 1, version: 1, values: { 'kl/ref': 0.25, 'loss/actor': null } };
    const foreign = { ...report, batch: 9 };
    const lines = ['{"type":"progress"}', JSON.stringify(report), JSON.stringify(foreign), '{"type":"metrics', ''];
    writeFileSync(join(bench.dir, 'events.jsonl'), lines.join('\n'));
    bench.start();
    await bench.pass();
    expect(bench.metrics.list()).toMatchObject([{ batch_id: 1, version: 1, status: 'trained', values: report.values }]);
    bench.say({ type: 'metrics', batch: 1, version: 1, values: { 'kl/ref': 0.5 } });
    await bench.kill();
    bench.start();
    await bench.pass();
    expect(bench.metrics.list()[0]?.values).toEqual({ 'kl/ref': 0.5 });
  });

  it('reads the spool folder in flight once, and again when it changed or the trainer died', async () => {
    const reads: string[] = [];
    const read = (path: string) => {
      reads.push(path);
      return durableFiles.read(path);
    };
    const bench = create(1, { ...durableFiles, read });
    bench.start();
    bench.rate(1);
    await bench.pass();
    const ofData = () => reads.filter((path) => path.endsWith('data.safetensors')).length;
    const first = ofData();
    for (let pass = 0; pass < 5; pass += 1) await bench.pass();
    expect(ofData()).toBe(first);
    const path = join(bench.dir, 'spool', '000001', 'data.safetensors');
    const written = readFileSync(path);
    writeFileSync(path, 'cut short');
    await bench.pass();
    expect(readFileSync(path)).toEqual(written);
    const mended = ofData();
    dieOn(bench, 1, { code: 1 });
    await bench.pass();
    expect(ofData()).toBeGreaterThan(mended);
  });

  it('serves a version again that was made again after damage, under the same number', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    expect(bench.engine.history).toEqual([1]);
    bench.trainer.remake();
    await bench.pass();
    await bench.pass();
    expect(bench.engine.history).toEqual([1, 1]);
    expect(bench.engine.path).toMatch(/i1$/);
    await bench.kill();
    bench.start();
    await bench.pass();
    expect(bench.engine.history).toEqual([1, 1]);
  });

  it('refuses a HEAD that is ahead of every batch formed here', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    const head = join(bench.dir, 'state', 'HEAD.json');
    writeFileSync(head, JSON.stringify({ ...bench.trainer.head(), last_batch: 7 }));
    await bench.kill();
    const gateway = bench.start();
    await bench.pass();
    expect(gateway.trouble()[0]?.kind).toBe('foreign-batch');
    expect(bench.batches.find(1)?.state).toBe('spooled');
  });

  it('does not blame a batch when the trainer was asked to stop', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    for (let round = 0; round < 4; round += 1) {
      bench.say({ type: 'progress', batch: 1, phase: 'forward', frac: 0.5 });
      bench.die(20);
    }
    await bench.pass();
    expect(bench.trainer.step()?.status).toBe('trained');
  });

  it('keeps the old version when the engine refuses the new one, says so, and tries again', async () => {
    const bench = create(1);
    bench.start();
    bench.engine.answer = { kind: 'refused', message: 'tensor absent' };
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    expect(bench.engine.served).toBe(0);
    expect(bench.publisherTrouble).toMatch(/Version 1 could not be put into service: tensor absent/);
    bench.engine.answer = { kind: 'served' };
    await bench.pass();
    expect(bench.engine.served).toBe(1);
    expect(bench.publisherTrouble).toBeNull();
  });

  it('brings an engine that came back with old weights to the newest version', async () => {
    const bench = create(1);
    bench.start();
    bench.rate(1);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    bench.engine.served = 0;
    await bench.pass();
    expect(bench.engine.served).toBe(1);
  });

  it('reports a disk that refuses, loses nothing, and goes on when the disk is back', async () => {
    let isFull = true;
    const files: DurableFiles = {
      ...durableFiles,
      publishFolder: (path, content) =>
        isFull
          ? Promise.reject(new Error('ENOSPC: no space left on device'))
          : durableFiles.publishFolder(path, content),
    };
    const bench = create(1, files);
    const gateway = bench.start();
    bench.rate(1);
    await bench.pass();
    expect(gateway.trouble()[0]).toMatchObject({ kind: 'training-disk', message: expect.stringContaining('ENOSPC') });
    expect(states(bench)).toEqual(['i-1 in-batch']);
    isFull = false;
    await bench.pass();
    expect(gateway.trouble()).toEqual([]);
    expect(bench.trainer.step()?.last_batch).toBe(1);
  });

  it('refuses to go on with a run folder of another database', async () => {
    const other = create(1);
    other.start();
    other.rate(1);
    other.rate(0.5);
    await other.pass();
    other.database.run("UPDATE batches SET sha256 = 'ff'");
    other.trainer.step();
    await other.kill();
    const gateway = other.start();
    await other.pass();
    expect(gateway.trouble()[0]?.kind).toBe('foreign-batch');
    expect(other.batches.find(1)?.state).toBe('spooled');
  });
});

describe('a run folder and a database of different moments', () => {
  it('trains nothing twice after the database was put back from a backup', async () => {
    const bench = create(2);
    bench.start();
    bench.rate(1);
    bench.rate(0);
    await bench.pass();
    bench.trainer.step();
    // As in a copy made before the batch was formed.
    bench.database.run('DELETE FROM batch_items');
    bench.database.run('DELETE FROM batches');
    const gateway = bench.start();
    await bench.pass();
    expect(gateway.trouble()[0]).toMatchObject({ kind: 'foreign-batch' });
    expect(bench.receipts.counts().in_batch).toEqual([]);
    expect(bench.trainer.step()).toBeNull();
  });

  it('forms nothing on a run folder that has lost its HEAD', async () => {
    const bench = create(2);
    bench.start();
    bench.rate(1);
    bench.rate(0);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    bench.remove('state/HEAD.json');
    bench.rate(1);
    bench.rate(0);
    const gateway = bench.start();
    await bench.pass();
    expect(gateway.trouble()[0]).toMatchObject({ kind: 'run-behind' });
    expect(bench.receipts.counts()).toMatchObject({ waiting: 2, in_batch: [] });
  });

  it('writes a spool folder again whose manifest names another run', async () => {
    const bench = create(2);
    bench.start();
    bench.rate(1);
    bench.rate(0);
    await bench.pass();
    const path = join(bench.dir, 'spool', '000001', 'manifest.json');
    const written = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(written), run_id: 'another' }));
    bench.start();
    await bench.pass();
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  it('invents no new run beside a HEAD', async () => {
    const bench = create(2);
    bench.start();
    bench.rate(1);
    bench.rate(0);
    await bench.pass();
    bench.trainer.step();
    await bench.pass();
    bench.remove('run.json');
    const gateway = bench.start();
    bench.rate(1);
    bench.rate(0);
    await bench.pass();
    expect(gateway.trouble()[0]).toMatchObject({ kind: 'run-folder', message: expect.stringContaining('run.json') });
    expect(bench.receipts.counts().waiting).toBe(2);
  });
});

describe('a batch', () => {
  it('never holds a single episode, however many rows it has', async () => {
    const bench = create(2);
    bench.start();
    bench.rate(1, { turns: 3 });
    await bench.pass();
    expect(bench.receipts.counts()).toMatchObject({ waiting: 1, in_batch: [] });
    bench.rate(-1);
    await bench.pass();
    expect(bench.receipts.counts()).toMatchObject({ waiting: 0, in_batch: [{ batch_id: 1, count: 2 }] });
    expect(bench.batches.items(1).map(({ episodeId }) => episodeId)).toEqual(['s-1', 's-1', 's-1', 's-2/i-2']);
  });
});

describe('under crashes', () => {
  type Step = 'rate' | 'kill' | 'trainer' | 'no-signal' | 'pass' | 'disk-fails' | 'engine-refuses' | 'engine-serves';
  const steps = fc.array(
    fc.constantFrom<Step>(
      'rate',
      'rate',
      'rate',
      'kill',
      'trainer',
      'trainer',
      'no-signal',
      'pass',
      'pass',
      'disk-fails',
      'engine-refuses',
      'engine-serves',
    ),
    { minLength: 10, maxLength: 60 },
  );

  /** Fails the next durable operation, as a kill in the middle of a pass would leave it undone. */
  function breakableDisk(): { files: DurableFiles; breakNext: () => void } {
    let isBroken = false;
    const guard =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (isBroken) {
          isBroken = false;
          throw new Error('killed here');
        }
        return work(...args);
      };
    const files = {
      ...durableFiles,
      replace: guard(durableFiles.replace),
      publishFolder: guard(durableFiles.publishFolder),
    };
    return { files, breakNext: () => (isBroken = true) };
  }

  it('trains every rating exactly once or says why not, and never serves an older version', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const disk = breakableDisk();
        const bench = create(3, disk.files);
        bench.start();
        for (const step of script) {
          if (step === 'rate') bench.rate(1);
          else if (step === 'kill') {
            await bench.kill();
            bench.start();
          } else if (step === 'trainer') bench.trainer.step();
          else if (step === 'no-signal') bench.trainer.step('no_signal');
          else if (step === 'disk-fails') disk.breakNext();
          else if (step === 'engine-refuses') bench.engine.answer = { kind: 'unavailable', message: 'away' };
          else if (step === 'engine-serves') bench.engine.answer = { kind: 'served' };
          else await bench.pass();
        }
        // Calm returns: enough passes bring everything that is full to its end.
        bench.engine.answer = { kind: 'served' };
        await bench.kill();
        bench.start();
        for (let k = 0; k < 25; k += 1) {
          await bench.pass();
          bench.trainer.step();
        }
        await bench.pass();

        const { committed } = bench.trainer;
        expect(new Set(committed).size).toBe(committed.length);
        const ended = bench.receipts.list(1000).filter(({ state }) => state === 'trained' || state === 'dropped');
        expect(committed.length).toBe(ended.filter(({ batch_id }) => batch_id !== null).length);
        expect(bench.receipts.counts().waiting).toBeLessThan(3);
        expect(bench.receipts.counts().in_batch).toEqual([]);
        expect([...bench.engine.history].sort((a, b) => a - b)).toEqual(bench.engine.history);
        expect(bench.engine.served).toBe(bench.trainer.head().version);
        benches.splice(benches.indexOf(bench), 1)[0]?.close();
      }),
      { numRuns: 25 },
    );
  });
});
