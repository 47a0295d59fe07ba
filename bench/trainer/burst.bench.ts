// How many ratings does a burst of raters lose, and what does the rest still teach? Batches pile up while one is trained.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type SpoolSession, writeSpoolBatch } from '../../src/embedded/trainer/testing/spool-builder';
import { TrainerProcess } from '../../src/embedded/trainer/testing/trainer-process';
import { sampleQuestion } from '../../src/embedded/world/conversation';
import { judge } from '../../src/embedded/world/judge';
import { seededRandom } from '../../src/embedded/world/random';
import { algorithmSchema, TRAINER_SCHEMA } from '../../src/shared/wire/trainer';
import { Answerer, meanReward } from './answerer';
import { machine } from './programs';

const options = new Map(process.argv.slice(2).map((argument) => argument.split('=', 2) as [string, string]));
const number = (name: string, fallback: number) => Number(options.get(name) ?? fallback);
/** in each burst the answers of `depth` batches are sampled by one version, then trained one batch after the other */
const BURSTS = number('bursts', 4);
const DEPTH = number('depth', 4);
const BATCH_SIZE = number('size', 16);
const EVALUATE = number('evaluate', 4);
/** raters who ask the same few questions move the weights fastest; 0 = all questions of the world */
const QUESTIONS = number('questions', 0);
const SEED = number('seed', 1);
const MODEL = resolve(options.get('model') ?? 'assets/demo-model');
const algorithmText = options.get('algorithm') ?? '{}';
const algorithm = { ...algorithmSchema.parse(JSON.parse(algorithmText)), ...JSON.parse(algorithmText) };
const RUN_ID = 'bench';

const base = await mkdtemp(join(tmpdir(), 'plaudit-burst-'));
const root = join(base, 'run');
await mkdir(root);
const run = { schema: TRAINER_SCHEMA, run_id: RUN_ID, model_path: MODEL, algorithm, seed: SEED };
await writeFile(join(root, 'run.json'), JSON.stringify({ ...run, created_at: new Date().toISOString() }));
const answerer = await Answerer.start(MODEL, await programOf('engine'));
const trainer = new TrainerProcess(await programOf('trainer'), root);

const random = seededRandom(SEED, 77);
const asked = Array.from({ length: QUESTIONS }, () => sampleQuestion(random));
const evaluations = [meanReward(await answerer.evaluate(EVALUATE))];
const outcomes: Outcome[] = [];
const klOf = { reference: [] as number[], behave: [] as number[] };
let batchId = 0;
for (let burst = 0; burst < BURSTS; burst++) {
  const waiting: SpoolSession[][] = [];
  for (let i = 0; i < DEPTH; i++) waiting.push(await sampleBatch(burst * DEPTH + i));
  for (const sessions of waiting) {
    batchId += 1;
    outcomes.push(await trainBatch(batchId, sessions));
  }
  const newest = Math.max(0, ...outcomes.map(({ version }) => version));
  if (newest > 0) {
    const weights = await trainer.message('weights', (message) => message.version === newest);
    await answerer.serve(weights.path, newest);
  }
  evaluations.push(meanReward(await answerer.evaluate(EVALUATE)));
}
await trainer.finish();
answerer.stop();
const rows = outcomes.length * BATCH_SIZE;
const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
const result = {
  name: options.get('name') ?? 'run',
  seed: SEED,
  ratings: rows,
  lost: sum(({ lost }) => lost),
  lost_share: sum(({ lost }) => lost) / rows,
  stale_batches: outcomes.filter(({ status }) => status === 'too_stale').length,
  tokens_masked: sum(({ masked }) => masked),
  tokens: sum(({ tokens }) => tokens),
  reward: evaluations.map((value) => Number(value.toFixed(3))),
  gain: Number(((evaluations.at(-1) ?? 0) - (evaluations[0] ?? 0)).toFixed(3)),
  kl_ref: klOf.reference.map((value) => Number(value.toFixed(3))),
  drift_k3: klOf.behave.map((value) => Number(value.toFixed(3))),
};
if (!options.has('quiet')) console.log(machine());
console.log(JSON.stringify(result));
const out = options.get('out');
if (out !== undefined) await appendFile(out, `${JSON.stringify(result)}\n`);
await rm(base, { recursive: true, force: true });

interface Outcome {
  readonly status: string;
  readonly version: number;
  /** ratings that taught nothing */
  readonly lost: number;
  readonly masked: number;
  readonly tokens: number;
}

async function sampleBatch(batch: number): Promise<SpoolSession[]> {
  const questions = Array.from({ length: BATCH_SIZE }, (_, i) => asked[i % QUESTIONS] ?? sampleQuestion(random));
  const answers = await Promise.all(
    questions.map((question, i) => answerer.answer(question, SEED * 100_000 + batch * 100 + i)),
  );
  return answers.map(({ question, promptIds, ids, logprobs, text, version }): SpoolSession => {
    const row = { ids: [...promptIds, ...ids], promptLength: promptIds.length, logprobs, versions: version };
    return { rows: [row], reward: judge(question, text).reward };
  });
}

async function trainBatch(id: number, sessions: readonly SpoolSession[]): Promise<Outcome> {
  await writeSpoolBatch(root, sessions, { runId: RUN_ID, batchId: id });
  trainer.send({ type: 'batch', id, path: join(root, 'spool') });
  const ack = await trainer.message('ack', (message) => message.batch === id);
  const { values } = await trainer.message('metrics', (message) => message.batch === id);
  klOf.reference.push(values['kl/ref'] ?? Number.NaN);
  klOf.behave.push(values['kl/behave_k3_all'] ?? values['kl/behave_k3'] ?? Number.NaN);
  const masked = values['version/tokens_masked_drift'] ?? 0;
  const tokens = values['tokens/trainable'] ?? 0;
  const lost = ack.status === 'trained' ? ack.dropped.length : BATCH_SIZE;
  return { status: ack.status, version: ack.version, lost, masked, tokens };
}

/** `trainer=FILE` and `engine=FILE` are programs built before, to compare two states of the source; default: built now. */
async function programOf(name: 'trainer' | 'engine'): Promise<string> {
  const built = options.get(name);
  if (built !== undefined) return resolve(built);
  const { bundleProgram } = await import('../../src/embedded/trainer/testing/bundle-program');
  return bundleProgram(`src/embedded/${name}/entry.ts`);
}
