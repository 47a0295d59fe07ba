import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { headSchema, TRAINER_SCHEMA, weightsManifestSchema } from '../../shared/wire/trainer';
import { sha256 } from './durable-files';
import { bundleTrainer } from './testing/bundle-program';
import { writeSpoolBatch } from './testing/spool-builder';
import { makeRun, makeSessions, RUN_ID, TrainerProcess } from './testing/trainer-process';

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

async function spool(root: string, batchId: number, options: Parameters<typeof makeSessions>[1] = {}) {
  return writeSpoolBatch(root, makeSessions(batchId, options), { runId: RUN_ID, batchId });
}

const readHead = async (root: string) =>
  headSchema.parse(JSON.parse(await readFile(join(root, 'state/HEAD.json'), 'utf8')));
const hasHead = async (root: string) => (await readdir(root)).includes('state');

async function editJson(path: string, change: object): Promise<void> {
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change }));
}

async function skip(root: string, batchId: number): Promise<void> {
  const name = String(batchId).padStart(6, '0');
  await mkdir(join(root, 'skip'), { recursive: true });
  const json = { schema: TRAINER_SCHEMA, batch_id: batchId, reason: 'it crashed the trainer' };
  await writeFile(join(root, 'skip', `${name}.json`), JSON.stringify(json));
}

describe('a batch', () => {
  it('is trained and committed: weights, state, HEAD, messages and their copy', async () => {
    const root = await makeRun();
    await spool(root, 1);
    const trainer = start(root);
    expect(await trainer.message('ack')).toMatchObject({ batch: 1, status: 'trained', version: 1 });
    expect(trainer.messages[0]).toMatchObject({ type: 'hello', schema: 'rlt/1' });
    expect(await trainer.message('ready')).toMatchObject({ version: 0, last_batch: 0 });
    expect(await trainer.finish()).toBe(20);
    expect(trainer.messages.at(-1)).toEqual({ type: 'bye', code: 20 });
    const head = await readHead(root);
    const folder = join(root, head.weights!);
    expect(head).toMatchObject({
      version: 1,
      incarnation: 0,
      last_batch: 1,
      status: 'trained',
      ckpt: 'ckpt/v000001.i0',
    });
    expect(trainer.messages).toContainEqual(
      expect.objectContaining({ type: 'weights', version: 1, incarnation: 0, path: folder, kind: 'full' }),
    );
    const manifest = weightsManifestSchema.parse(JSON.parse(await readFile(join(folder, 'weights.json'), 'utf8')));
    expect(manifest).toMatchObject({ version: 1, incarnation: 0, kind: 'full', parent_version: 0, batch_id: 1 });
    const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
    expect((await readdir(folder)).sort()).toEqual([...names, 'weights.json']);
    for (const { name, bytes, sha256: sha } of manifest.files) {
      const content = await readFile(join(folder, name));
      expect([content.byteLength, sha256(content)], name).toEqual([bytes, sha]);
    }
    const { values } = await trainer.message('metrics');
    expect(values['kl/mismatch_fresh']).toBeLessThan(1e-8);
    expect(values['reward/mean']).toBeCloseTo(0.25, 12);
    const events = (await readFile(join(root, 'events.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toEqual(trainer.messages.filter((message) => message.type !== 'heartbeat'));
  });

  it.each([
    ['whose ratings are all equal gives no new version', { equal: true }, {}, 'no_signal'],
    ['whose every token is too old gives no new version', { version: -3 }, { max_token_staleness: 2 }, 'too_stale'],
  ] as const)('%s', async (_reason, sessions, algorithm, status) => {
    const root = await makeRun({ algorithm });
    await spool(root, 1, sessions);
    const trainer = start(root);
    expect(await trainer.message('ack')).toMatchObject({ batch: 1, status, version: 0 });
    expect(await readHead(root)).toMatchObject({ version: 0, last_batch: 1, status, weights: null, ckpt: null });
    expect(await readdir(root)).not.toContain('weights');
  });

  it('that the studio gave up is passed over, even when its folder is damaged', async () => {
    const root = await makeRun();
    await spool(root, 1);
    await writeFile(join(root, 'spool/000001/manifest.json'), 'not json');
    await skip(root, 1);
    const trainer = start(root);
    expect(await trainer.message('ack')).toMatchObject({ batch: 1, status: 'skipped', version: 0 });
    expect(await readHead(root)).toMatchObject({ version: 0, last_batch: 1, status: 'skipped' });
  });

  it('that is offered again is answered with its stored version; another one of the same number is refused', async () => {
    const root = await makeRun();
    await spool(root, 1);
    await spool(root, 2, { equal: true });
    const trainer = start(root);
    await trainer.message('ack', (ack) => ack.batch === 2);
    trainer.send({ type: 'batch', id: 1, path: join(root, 'spool/000001') });
    expect(await trainer.message('ack', (ack) => ack.status === 'replayed')).toMatchObject({ batch: 1, version: 1 });
    await editJson(join(root, 'spool/000002/manifest.json'), { sha256: 'f'.repeat(64) });
    trainer.send({ type: 'batch', id: 2, path: join(root, 'spool/000002') });
    expect(await trainer.message('error')).toMatchObject({ code: 'batch_conflict' });
    expect(await readHead(root)).toMatchObject({ version: 1, last_batch: 2 });
  });

  it('names the rows that it left out, in the ack, in HEAD and when it is offered again', async () => {
    const root = await makeRun();
    const sessions = makeSessions(1, { version: -1 }).map((session, i) => {
      const rows = session.rows.map((row) => ({ ...row, logprobs: row.logprobs.map((logprob) => logprob - 3) }));
      return i === 2 ? { ...session, rows } : session;
    });
    const distorted = sessions.map((session, i) =>
      i === 0 ? { ...session, rows: session.rows.map((row) => ({ ...row, distorted: true })) } : session,
    );
    await writeSpoolBatch(root, distorted, { runId: RUN_ID, batchId: 1 });
    const dropped = [
      { row: 0, reason: 'distorted' },
      { row: 2, reason: 'drift' },
    ];
    const trainer = start(root);
    expect(await trainer.message('ack')).toMatchObject({ status: 'trained', dropped });
    expect(await readHead(root)).toMatchObject({ status: 'trained', dropped });
    await trainer.kill();
    const again = start(root);
    // the report of the last batch is said again: a kill may have come before it was heard
    expect(await again.message('metrics')).toMatchObject({ batch: 1, version: 1 });
    again.send({ type: 'batch', id: 1, path: join(root, 'spool/000001') });
    expect(await again.message('ack')).toMatchObject({ status: 'replayed', dropped });
  });

  it('is trained with what set said before it, also after a kill; the one before it keeps what it had', async () => {
    const root = await makeRun({ algorithm: { learning_rate: 1e-3, kl_beta: 0 } });
    await spool(root, 1);
    const trainer = start(root);
    expect(await trainer.message('ack')).toMatchObject({
      settings: { baseline: 'batch_loo', learning_rate: 1e-3, kl_beta: 0 },
    });
    const values = { baseline: 'batch', learning_rate: 2e-3, kl_beta: 0.5 };
    trainer.send({ type: 'set', values });
    trainer.send({ type: 'set', values: { baseline: 'none' } });
    expect(await trainer.message('settings')).toEqual({ type: 'settings', values });
    expect(await trainer.message('warn')).toMatchObject({ code: 'bad_setting' });
    await trainer.kill();
    expect(await readFile(join(root, 'events.jsonl'), 'utf8')).toContain(JSON.stringify({ type: 'settings', values }));
    await spool(root, 2);
    const again = start(root);
    expect(await again.message('ack')).toMatchObject({ batch: 2, settings: values });
    const { values: metrics } = await again.message('metrics', (report) => report.batch === 2);
    expect(metrics).toMatchObject({ 'settings/learning_rate': 2e-3, 'settings/kl_beta': 0.5 });
    expect(JSON.parse(await readFile(join(root, 'run.json'), 'utf8'))).toMatchObject({
      algorithm: { learning_rate: 1e-3 },
    });
  });

  it('waits for the one before it', async () => {
    const root = await makeRun();
    await spool(root, 2, { equal: true });
    const trainer = start(root);
    await trainer.message('ready');
    trainer.send({ type: 'batch', id: 2, path: join(root, 'spool/000002') });
    await skip(root, 1);
    await trainer.message('ack', (ack) => ack.batch === 2);
    expect(trainer.messages.flatMap((m) => (m.type === 'ack' ? [`${m.batch} ${m.status}`] : []))).toEqual([
      '1 skipped',
      '2 no_signal',
    ]);
  });
});

describe('the end of the process', () => {
  const data = (root: string) => join(root, 'spool/000001/data.safetensors');
  const manifestOf = (root: string) => join(root, 'spool/000001/manifest.json');

  it.each([
    ['run.json is absent', 10, 'bad_config', (root: string) => rm(join(root, 'run.json'))],
    ['run.json is not JSON', 10, 'bad_config', (root: string) => writeFile(join(root, 'run.json'), '{')],
    ['run.json lacks a field', 10, 'bad_config', (root: string) => editJson(join(root, 'run.json'), { run_id: 7 })],
    [
      'run.json speaks another schema',
      16,
      'schema_mismatch',
      (root: string) => editJson(join(root, 'run.json'), { schema: 'rlt/2' }),
    ],
    ['the model is absent', 12, 'model_load', (root: string) => rm(join(root, '../model'), { recursive: true })],
    [
      'the model is cut short',
      12,
      'model_load',
      (root: string) => writeFile(join(root, '../model/model.safetensors'), 'x'),
    ],
    [
      'the batch speaks another schema',
      16,
      'schema_mismatch',
      (root: string) => editJson(manifestOf(root), { schema: 'rlt/9' }),
    ],
    [
      'the data is not what the manifest says',
      1,
      'spool_corrupt',
      (root: string) => editJson(manifestOf(root), { sha256: '0'.repeat(64) }),
    ],
    [
      'the batch is of another run',
      1,
      'spool_corrupt',
      (root: string) => editJson(manifestOf(root), { run_id: 'other' }),
    ],
    [
      'the batch has fewer rows than promised',
      1,
      'spool_corrupt',
      (root: string) => editJson(manifestOf(root), { n_rows: 9 }),
    ],
    ['the data is absent', 1, 'spool_corrupt', (root: string) => rm(data(root))],
    [
      'the data is cut short, with a fitting sha256',
      1,
      'spool_corrupt',
      async (root: string) => {
        const bytes = (await readFile(data(root))).subarray(0, 300);
        await writeFile(data(root), bytes);
        await editJson(manifestOf(root), { sha256: sha256(bytes) });
      },
    ],
    [
      'HEAD is damaged',
      17,
      'corrupt_head',
      async (root: string) => {
        await mkdir(join(root, 'state'));
        await writeFile(join(root, 'state/HEAD.json'), '{"schema":"rlt/1"}');
      },
    ],
  ] as const)('%s: exit %i, %s', async (_reason, exitCode, code, damage) => {
    const root = await makeRun();
    await spool(root, 1);
    await damage(root);
    const trainer = start(root);
    expect(await trainer.exited).toBe(exitCode);
    expect(await trainer.message('error')).toMatchObject({ code });
    expect(trainer.messages.at(-1)).toEqual({ type: 'bye', code: exitCode });
    expect(trainer.messages.filter((message) => message.type === 'ack')).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('the disk is full at the commit: exit 15, HEAD stays', async () => {
    const root = await makeRun();
    await spool(root, 1, { equal: true });
    await mkdir(join(root, 'state'));
    // every write through this link fails with ENOSPC, as on a full disk
    await symlink('/dev/full', join(root, 'state/.HEAD.json.tmp'));
    const trainer = start(root);
    expect(await trainer.exited).toBe(15);
    expect(await trainer.message('error')).toMatchObject({ code: 'disk', retryable: true });
    expect(await readdir(join(root, 'state'))).not.toContain('HEAD.json');
  });

  it('the weights cannot be written: exit 15, HEAD stays, and a repaired folder goes on', async () => {
    const root = await makeRun();
    await spool(root, 1);
    await writeFile(join(root, 'weights'), 'a file where a folder must be');
    const trainer = start(root);
    expect(await trainer.exited).toBe(15);
    expect(await hasHead(root)).toBe(false);
    await rm(join(root, 'weights'));
    expect(await start(root).message('ack')).toMatchObject({ batch: 1, status: 'trained', version: 1 });
  });

  it('another trainer holds the run: exit 11 with its pid; the first goes on', async () => {
    const root = await makeRun();
    const first = start(root);
    await first.message('ready');
    const second = start(root);
    expect(await second.exited).toBe(11);
    expect((await second.message('error')).message).toContain(`process ${first.child.pid}`);
    await spool(root, 1, { equal: true });
    expect(await first.message('ack')).toMatchObject({ status: 'no_signal' });
    expect(JSON.parse(await readFile(join(root, 'lock'), 'utf8'))).toMatchObject({ pid: first.child.pid });
  });

  it.each([
    ['of a process that was killed', '{"pid":1234567890,"started_at":"then","process_start":null}'],
    ['of a recycled pid', `{"pid":${process.pid},"started_at":"then","process_start":"1"}`],
  ])('a lock %s is taken over', async (_reason, lock) => {
    const root = await makeRun();
    await writeFile(join(root, 'lock'), lock);
    const trainer = start(root);
    await trainer.message('ready');
    expect(JSON.parse(await readFile(join(root, 'lock'), 'utf8'))).toMatchObject({ pid: trainer.child.pid });
  });

  it.each([
    ['stdin ends', (trainer: TrainerProcess) => trainer.child.stdin.end(), 1],
    ['SIGTERM comes', (trainer: TrainerProcess) => trainer.child.kill('SIGTERM'), 1],
    [
      'stop after the batch is asked',
      (trainer: TrainerProcess) => trainer.send({ type: 'stop', mode: 'after_batch' }),
      1,
    ],
    ['stop now is asked', (trainer: TrainerProcess) => trainer.send({ type: 'stop', mode: 'now' }), null],
  ] as const)(
    '%s in the middle of a batch: exit 20, the batch is whole or not at all',
    async (_reason, stop, batch) => {
      const root = await makeRun();
      await spool(root, 1);
      await spool(root, 2);
      const trainer = start(root);
      await trainer.message('progress', (progress) => progress.phase === 'reference');
      stop(trainer);
      expect(await trainer.exited).toBe(20);
      expect((await hasHead(root)) ? (await readHead(root)).last_batch : null).toBe(batch);
      expect(await readdir(root)).not.toContain('lock');
    },
  );
});

describe('commands', () => {
  it('a paused trainer takes no batch until it is resumed; lines that are no command are reported', async () => {
    const root = await makeRun();
    const trainer = start(root);
    await trainer.message('ready');
    trainer.child.stdin.write('hello?\n{"type":"dance"}\n');
    trainer.send({ type: 'pause' });
    trainer.send({ type: 'set', values: { learning_rate: -1 } });
    trainer.send({ type: 'set', values: { lr: 0.25, beta: 0.5 } });
    await trainer.message('warn', (warn) => warn.code === 'bad_setting');
    expect(trainer.messages.filter((m) => m.type === 'warn' && m.code === 'bad_command')).toHaveLength(2);
    await spool(root, 1);
    trainer.send({ type: 'batch', id: 1, path: join(root, 'spool/000001') });
    trainer.send({ type: 'batch', id: 0, path: root });
    // the answer to the second offer proves that the first was looked at while paused
    await trainer.message('ack', (ack) => ack.status === 'replayed');
    expect(await hasHead(root).then((has) => (has ? readdir(join(root, 'state')) : []))).not.toContain('HEAD.json');
    trainer.send({ type: 'resume' });
    await trainer.message('ack', (ack) => ack.batch === 1);
    const { values } = await trainer.message('metrics');
    // second of five warm-up steps
    expect(values['optim/lr']).toBeCloseTo(0.25 * (2 / 5), 12);
  });

  it('without the flag, the end of stdin means nothing', async () => {
    const root = await makeRun();
    const trainer = start(root, []);
    trainer.child.stdin.end();
    await trainer.message('ready');
    await spool(root, 1, { equal: true });
    expect(await trainer.message('ack')).toMatchObject({ status: 'no_signal' });
  });
});

describe('a damaged training state', () => {
  it('falls back to the one before and trains again to the same bits, as the next incarnation; then gives up', async () => {
    const root = await makeRun();
    for (const batchId of [1, 2]) await spool(root, batchId);
    await spool(root, 3, { equal: true });
    const first = start(root);
    await first.message('ack', (ack) => ack.batch === 3);
    await first.kill();
    const before = await readHead(root);
    await writeFile(join(root, before.ckpt!, 'optimizer.safetensors'), 'damaged');

    const second = start(root);
    expect(await second.message('warn')).toMatchObject({ code: 'checkpoint_fallback' });
    expect(await second.message('ready')).toMatchObject({ version: 2, last_batch: 3 });
    expect(await second.message('weights')).toMatchObject({ version: 2, incarnation: 1 });
    await second.kill();
    const after = await readHead(root);
    expect(after).toMatchObject({ version: 2, incarnation: 1, last_batch: 3, ckpt: 'ckpt/v000002.i1' });
    const bytesOf = (head: typeof before) => readFile(join(root, head.weights!, 'model.safetensors'));
    expect((await bytesOf(after)).equals(await bytesOf(before))).toBe(true);

    for (const ckpt of await readdir(join(root, 'ckpt'))) await writeFile(join(root, 'ckpt', ckpt, 'state.json'), '{');
    const third = start(root);
    expect(await third.exited).toBe(17);
    expect(await third.message('error')).toMatchObject({ code: 'corrupt_checkpoint' });
    expect(await readHead(root)).toEqual(after);
  });

  it('cannot be repaired without the spool: exit 17', async () => {
    const root = await makeRun();
    await spool(root, 1);
    const first = start(root);
    await first.message('ack');
    await first.kill();
    await rm(join(root, 'spool/000001'), { recursive: true });
    await writeFile(join(root, (await readHead(root)).weights!, 'model.safetensors'), 'damaged');
    expect(await start(root).exited).toBe(17);
    expect(dirname((await readHead(root)).ckpt!)).toBe('ckpt');
  });
});
