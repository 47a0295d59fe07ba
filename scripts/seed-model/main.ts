import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { type AdamWState, makeAdamW } from '../../src/embedded/model/adamw';
import { saveCheckpoint } from '../../src/embedded/model/checkpoint';
import { toDevice, toHost } from '../../src/embedded/model/llama-forward';
import { parameterCount, tensorShapes } from '../../src/embedded/model/tensor-names';
import { startTensorRuntime } from '../../src/embedded/model/tensor-runtime';
import { seededRandom } from '../../src/embedded/world/random';
import { type ChatEncoder, makeChatEncoder } from './chat-encoder';
import { type Evaluation, evaluate } from './evaluate';
import { initialParams } from './initial-params';
import { buildTokenizer, DEMO_CONFIG, writeModelFiles } from './model-files';
import { readOptions, type SeedModelOptions } from './options';
import { packRows, type RowShape } from './packing';
import { type Shard, ShardPool } from './shard-pool';
import { loadState, saveState, type TrainingState } from './training-state';

const config = DEMO_CONFIG;
const SHORT: RowShape = { rows: 4, length: 128, chats: 'short' };
/** no slower than a short shard, so no thread waits for it */
const LONG: RowShape = { rows: 1, length: 256, chats: 'long' };
const EVALUATION_ROUNDS = 4;
const WARM_UP_STEPS = 40;
/** the last part of the schedule, in which the learning rate falls to a hundredth */
const COOL_DOWN = 0.4;

await main();

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), availableParallelism());
  const startedAt = Date.now();
  const files = `${options.out}.files`;
  await mkdir(dirname(options.out), { recursive: true });
  await writeModelFiles(files);
  const { tokenizer, tokenizerConfig } = buildTokenizer();
  const encoder = makeChatEncoder(tokenizer, tokenizerConfig);
  await startTensorRuntime();
  const pool = new ShardPool(config, {
    workerFile: new URL('./shard-worker.mjs', import.meta.url),
    threads: options.threads,
    shards: options.shards,
  });
  console.log(`${parameterCount(config)} parameters, ${options.threads} threads, ${options.shards} shards a step`);
  try {
    const state = await train(options, encoder, pool, startedAt);
    await saveState(options.state, config, state);
    // a run that the clock stopped has its measurement when it is resumed to the end
    if (state.step >= options.steps) {
      await pool.setParams(state.params);
      report('final', await evaluate(pool, encoder, options.seed, EVALUATION_ROUNDS), true);
    }
    await rm(options.out, { recursive: true, force: true });
    const metadata = { step: String(state.step), seed: String(state.seed) };
    await saveCheckpoint(options.out, { config, params: state.params, metadata }, files);
    console.log(`${options.out} written after step ${state.step}`);
  } finally {
    await pool.close();
    await rm(files, { recursive: true, force: true });
  }
}

async function train(
  options: SeedModelOptions,
  encoder: ChatEncoder,
  pool: ShardPool,
  startedAt: number,
): Promise<TrainingState> {
  const adamw = makeAdamW();
  const from = options.resume ? await loadState(options.state, config) : freshState(options.seed);
  let params = toDevice(config, from.params);
  let state: AdamWState = { step: from.step, m: toDevice(config, from.m), v: toDevice(config, from.v) };
  let host: Readonly<Record<string, Float32Array>> = from.params;
  let tokens = 0;
  const trainingFrom = Date.now();
  let shards = makeShards(options, encoder, state.step + 1);
  while (state.step < options.steps && (Date.now() - startedAt) / 1000 < options.maxSeconds) {
    await pool.setParams(host);
    const step = state.step + 1;
    const computing = pool.gradients(shards);
    // packed while the threads are busy
    const nextShards = makeShards(options, encoder, step + 1);
    const { loss, gradients } = await computing;
    if (!Number.isFinite(loss))
      throw new Error(`the loss is ${loss} at step ${step}; the state on disk is older and sound`);
    const result = adamw(params, toDevice(config, gradients), state, {
      learningRate: options.learningRate * schedule(step, options.steps),
      weightDecay: options.weightDecay,
    });
    ({ params, state } = result);
    const norm = (await result.gradientNorm.data())[0]!;
    host = await toHost(params);
    tokens += shards.reduce((sum, { rows }) => sum + rows.ids.length, 0);
    shards = nextShards;
    if (step % 10 === 0 || step === 1) {
      const rate = Math.round(tokens / ((Date.now() - trainingFrom) / 1000));
      const elapsed = Math.round((Date.now() - startedAt) / 1000);
      console.log(`step ${step} loss ${loss.toFixed(4)} norm ${norm.toFixed(2)} ${rate} tok/s ${elapsed} s`);
    }
    if (step % options.evaluateEvery === 0 && step < options.steps) {
      await saveState(options.state, config, { ...(await momentsOf(state)), seed: options.seed, params: host });
      await pool.setParams(host);
      report(`step ${step}`, await evaluate(pool, encoder, options.seed, 1), false);
    }
  }
  return { ...(await momentsOf(state)), seed: options.seed, params: host };
}

async function momentsOf({ step, m, v }: AdamWState): Promise<Pick<TrainingState, 'step' | 'm' | 'v'>> {
  return { step, m: await toHost(m), v: await toHost(v) };
}

function freshState(seed: number): TrainingState {
  const zeros = () =>
    Object.fromEntries(
      [...tensorShapes(config)].map(([name, shape]) => [name, new Float32Array(shape.reduce((a, b) => a * b, 1))]),
    );
  return { step: 0, seed, params: initialParams(config, seed), m: zeros(), v: zeros() };
}

/** Every eighth shard holds long rows. Weights are scaled so that they sum to 1 over the step. */
function makeShards({ seed, shards: count }: SeedModelOptions, encoder: ChatEncoder, step: number): Shard[] {
  const shards = Array.from({ length: count }, (_, shard) => {
    const shape = shard % 8 === 7 ? LONG : SHORT;
    return { shape, rows: packRows(seededRandom(seed, 2, step, shard), encoder, shape) };
  });
  const total = shards.reduce((sum, { rows }) => sum + rows.weights.reduce((a, b) => a + b, 0), 0);
  for (const { rows } of shards)
    rows.weights.forEach((weight, i) => {
      rows.weights[i] = weight / total;
    });
  return shards;
}

function schedule(step: number, steps: number): number {
  const warm = Math.min(1, step / WARM_UP_STEPS);
  const left = (steps - step) / (steps * COOL_DOWN);
  return left >= 1 ? warm : warm * Math.max(0.01, left);
}

function report(when: string, { samples, ...numbers }: Evaluation, verbose: boolean): void {
  const rounded = Object.entries(numbers).map(([name, value]) => `${name} ${Number(value.toFixed(3))}`);
  console.log(`evaluation at ${when}: ${rounded.join(', ')}`);
  for (const line of verbose ? samples : samples.slice(0, 3)) console.log(`  ${line}`);
}
