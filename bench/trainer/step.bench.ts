// What one training step costs: 32 rows × 64 tokens beside plain matrix products of the same run, and a rated batch from spool to HEAD.
import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeAdamW, zeroState } from '../../src/embedded/model/adamw';
import { loadCheckpoint } from '../../src/embedded/model/checkpoint';
import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { toDevice } from '../../src/embedded/model/llama-forward';
import { makeTokenLogprobs } from '../../src/embedded/model/log-probs';
import { makePolicyGradient, type PolicyRows } from '../../src/embedded/model/policy-loss';
import { np, startTensorRuntime } from '../../src/embedded/model/tensor-runtime';
import { bundleTrainer } from '../../src/embedded/trainer/testing/bundle-program';
import { type SpoolSession, writeSpoolBatch } from '../../src/embedded/trainer/testing/spool-builder';
import { TrainerProcess } from '../../src/embedded/trainer/testing/trainer-process';
import { seededRandom } from '../../src/embedded/world/random';
import { algorithmSchema, TRAINER_SCHEMA } from '../../src/shared/wire/trainer';
import { machine, median } from './programs';

const MODEL = resolve(process.argv[2] ?? 'assets/demo-model');
const REPEATS = 7;
const [ROWS, LENGTH] = [32, 64];
const PROMPT = 16;

console.log(machine());
await startTensorRuntime();
const { config, params: host } = await loadCheckpoint(MODEL);
const random = seededRandom(1);
const seedLogprobs = makeTokenLogprobs(config);
const seedParams = toDevice(config, host);
const table: Record<string, { median: string; min: string; max: string }> = {};
const record = (name: string, values: readonly number[], unit: string) => {
  const show = (value: number) => `${value.toPrecision(3)} ${unit}`;
  table[name] = { median: show(median(values)), min: show(Math.min(...values)), max: show(Math.max(...values)) };
};
/** CPU seconds: on a busy machine they say more than the wall clock. */
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const probe = await matmulProbe(config);
const step = await trainStep();
record(`matrix products of one step (${probe.gigaflop.toFixed(1)} GFLOP), CPU`, probe.seconds, 's');
record(`train step ${ROWS} × ${LENGTH}, forward + backward + AdamW, CPU`, step.cpu, 's');
record(`train step ${ROWS} × ${LENGTH}, wall`, step.wall, 's');
record(
  'ratio step / matrix products',
  step.cpu.map((seconds) => seconds / median(probe.seconds)),
  '×',
);
record('memory of this process after it', [process.memoryUsage().rss / 2 ** 20], 'MiB');
const batch = await spoolToHead();
record('first batch of 16 rows, spool → HEAD, cold, wall', batch.wall.slice(0, 1), 's');
record('later batches of 16 rows, spool → HEAD, wall', batch.wall.slice(1), 's');
record('later batches of 16 rows, CPU of the trainer', batch.cpu.slice(1), 's');
record('memory of the trainer', batch.rss, 'MiB');
console.table(table);

/** The forward and backward matrix products of the model's layers and head, and nothing else. */
async function matmulProbe({ layers, hiddenSize, intermediateSize, vocabSize, heads, kvHeads, headSize }: LlamaConfig) {
  const tokens = ROWS * LENGTH;
  const [q, kv] = [heads * headSize, kvHeads * headSize];
  const perLayer: [number, number][] = [
    [q, hiddenSize],
    [kv, hiddenSize],
    [kv, hiddenSize],
    [hiddenSize, q],
    [intermediateSize, hiddenSize],
    [intermediateSize, hiddenSize],
    [hiddenSize, intermediateSize],
  ];
  const products = [
    ...Array.from({ length: layers }, () => perLayer).flat(),
    [vocabSize, hiddenSize] as [number, number],
  ];
  const matrix = (rows: number, columns: number) =>
    np.array(Float32Array.from({ length: rows * columns }, random)).reshape([rows, columns]);
  const seconds: number[] = [];
  for (let i = 0; i <= REPEATS; i++) {
    const operands = products.map(([out, inner]) => ({
      x: matrix(tokens, inner),
      w: matrix(out, inner),
      g: matrix(tokens, out),
    }));
    const from = cpuSeconds();
    for (const { x, w, g } of operands) {
      // y = x·wᵀ, then the gradients of x and of w
      await np.dot(x.ref, w.ref.transpose()).data();
      await np.dot(g.ref, w).data();
      await np.dot(g.transpose(), x).data();
    }
    if (i > 0) seconds.push(cpuSeconds() - from);
  }
  const multiplyAdds = products.reduce((sum, [out, inner]) => sum + 3 * tokens * out * inner, 0);
  return { seconds, gigaflop: (2 * multiplyAdds) / 1e9 };
}

async function trainStep() {
  const size = ROWS * LENGTH;
  const ids = () => Int32Array.from({ length: size }, () => Math.floor(random() * config.vocabSize));
  const filled = (value: number) => new Float32Array(size).fill(value);
  const rows: PolicyRows = {
    rows: ROWS,
    length: LENGTH,
    ids: ids(),
    targets: ids(),
    temperatures: new Float32Array(ROWS).fill(1),
    weights: filled(1 / size),
    advantages: filled(0.5),
    behave: filled(-6),
    reference: filled(-6),
    proximal: null,
  };
  const numbers = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3, behaveCap: 5, klBeta: 0.02 };
  const gradientOf = makePolicyGradient(config, 'mask');
  const adamw = makeAdamW();
  let params = toDevice(config, host);
  let state = zeroState(config);
  const [cpu, wall]: [number[], number[]] = [[], []];
  for (let i = 0; i <= REPEATS; i++) {
    const [fromCpu, fromWall] = [cpuSeconds(), performance.now()];
    const { gradients } = await gradientOf(params, rows, numbers);
    const result = adamw(params, gradients, state, { learningRate: 1e-5 });
    ({ params, state } = result);
    await result.gradientNorm.data();
    if (i === 0) continue;
    cpu.push(cpuSeconds() - fromCpu);
    wall.push((performance.now() - fromWall) / 1000);
  }
  return { cpu, wall };
}

/** Sixteen rated answers of 24 to 44 tokens, as short chats have, through the real process. */
async function spoolToHead() {
  const root = join(await mkdtemp(join(tmpdir(), 'plaudit-step-')), 'run');
  await mkdir(root);
  const run = {
    schema: TRAINER_SCHEMA,
    run_id: 'bench',
    model_path: MODEL,
    algorithm: algorithmSchema.parse({}),
    seed: 1,
  };
  await writeFile(join(root, 'run.json'), JSON.stringify({ ...run, created_at: new Date().toISOString() }));
  const trainer = new TrainerProcess(await bundleTrainer(), root);
  await trainer.message('ready');
  const [wall, cpu, rss]: [number[], number[], number[]] = [[], [], []];
  for (let batchId = 1; batchId <= REPEATS; batchId++) {
    const sessions = await sixteenAnswers(batchId - 1);
    const from = performance.now();
    await writeSpoolBatch(root, sessions, {
      runId: 'bench',
      batchId,
      formedAtVersion: batchId - 1,
      // the weights hardly move, so that every batch is as fresh as the first
      overrides: { learning_rate: 1e-7 },
    });
    trainer.send({ type: 'batch', id: batchId, path: root });
    const ack = await trainer.message('ack', (message) => message.batch === batchId);
    wall.push((performance.now() - from) / 1000);
    if (ack.status !== 'trained') throw new Error(`batch ${batchId} came out as ${ack.status}`);
    await stat(join(root, 'state/HEAD.json'));
    const { values } = await trainer.message('metrics', (message) => message.batch === batchId);
    cpu.push(values['time/cpu'] ?? Number.NaN);
    rss.push(values['mem/rss_mib'] ?? Number.NaN);
  }
  await trainer.finish();
  return { wall, cpu, rss };
}

/** Random tokens with the seed model's own log-probabilities, so that the batch counts as fresh. */
async function sixteenAnswers(version: number): Promise<SpoolSession[]> {
  const lengths = Array.from({ length: 16 }, () => 24 + Math.floor(random() * 21));
  const size = 16 * 48;
  const ids = Int32Array.from({ length: size }, () => Math.floor(random() * config.vocabSize));
  const targets = Int32Array.from(ids, (_, i) => ids[i + 1] ?? 0);
  const rows = { rows: 16, length: 48, ids, targets, temperatures: new Float32Array(16).fill(1) };
  const logprobs = await seedLogprobs(seedParams, rows);
  return lengths.map((length, r) => {
    const own = Array.from(ids.subarray(r * 48, r * 48 + length));
    const sampled = Array.from(logprobs.subarray(r * 48 + PROMPT - 1, r * 48 + length - 1));
    const row = { ids: own, promptLength: PROMPT, logprobs: sampled, versions: version };
    return { rows: [row], reward: r % 3 === 0 ? 1 : -0.5 };
  });
}
