// Does the trainer learn what a rater likes? A real engine answers, the simulated rater judges, a real trainer trains.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleEngine, bundleTrainer } from '../../src/embedded/trainer/testing/bundle-program';
import { type SpoolSession, writeSpoolBatch } from '../../src/embedded/trainer/testing/spool-builder';
import { TrainerProcess } from '../../src/embedded/trainer/testing/trainer-process';
import { sampleQuestion } from '../../src/embedded/world/conversation';
import { judge } from '../../src/embedded/world/judge';
import { seededRandom } from '../../src/embedded/world/random';
import { algorithmSchema, TRAINER_SCHEMA } from '../../src/shared/wire/trainer';
import { Answerer, meanReward } from './answerer';
import { machine } from './programs';

const options = new Map(process.argv.slice(2).map((argument) => argument.split('=') as [string, string]));
const number = (name: string, fallback: number) => Number(options.get(name) ?? fallback);
const BATCHES = number('batches', 15);
const BATCH_SIZE = number('size', 16);
const GROUP = number('group', 1);
const SEED = number('seed', 1);
/** the engine answers with weights this many versions behind the newest, as busy raters make it */
const LAG = number('lag', 0);
const MODEL = resolve(options.get('model') ?? 'assets/demo-model');
const algorithm = algorithmSchema.parse(JSON.parse(options.get('algorithm') ?? '{}'));
const RUN_ID = 'bench';

const base = await mkdtemp(join(tmpdir(), 'plaudit-learning-'));
const root = join(base, 'run');
await mkdir(root);
const created_at = new Date().toISOString();
await writeFile(
  join(root, 'run.json'),
  JSON.stringify({ schema: TRAINER_SCHEMA, run_id: RUN_ID, model_path: MODEL, algorithm, seed: SEED, created_at }),
);
const answerer = await Answerer.start(MODEL, await bundleEngine());
const trainer = new TrainerProcess(await bundleTrainer(), root);

async function evaluate(): Promise<string> {
  const evaluation = await answerer.evaluate(2);
  const share = (key: 'correct' | 'polite' | 'rude') =>
    `${Math.round((100 * evaluation.filter(({ verdict }) => verdict[key]).length) / evaluation.length)} %`;
  const first = evaluation[0]?.answer;
  return `reward ${meanReward(evaluation).toFixed(3)}, correct ${share('correct')}, polite ${share('polite')}, rude ${share('rude')} — "${first?.question.text}" → "${first?.text}"`;
}

console.log(machine());
console.log(
  `algorithm ${JSON.stringify(algorithm)}; ${BATCHES} batches of ${BATCH_SIZE}, groups of ${GROUP}, lag ${LAG}, seed ${SEED}`,
);
console.log(`before: ${await evaluate()}`);
const random = seededRandom(SEED, 77);
const curve: number[] = [];
for (let batchId = 1; batchId <= BATCHES; batchId++) {
  const questions = Array.from({ length: BATCH_SIZE / GROUP }, () => sampleQuestion(random));
  const asked = questions.flatMap((question) => Array.from({ length: GROUP }, () => question));
  const answers = await Promise.all(
    asked.map((question, i) => answerer.answer(question, SEED * 100_000 + batchId * 100 + i)),
  );
  const sessions = answers.map(({ question, promptIds, ids, logprobs, text, version }, i): SpoolSession => {
    const row = { ids: [...promptIds, ...ids], promptLength: promptIds.length, logprobs, versions: version };
    return { rows: [row], reward: judge(question, text).reward, group: `g${Math.floor(i / GROUP)}` };
  });
  await writeSpoolBatch(root, sessions, { runId: RUN_ID, batchId, formedAtVersion: batchId - 1 });
  trainer.send({ type: 'batch', id: batchId, path: join(root, 'spool') });
  const ack = await trainer.message('ack', (message) => message.batch === batchId);
  const { values } = await trainer.message('metrics', (message) => message.batch === batchId);
  if (ack.status === 'trained') {
    const served = Math.max(0, ack.version - LAG);
    const weights = await trainer.message('weights', (message) => message.version === served);
    await answerer.serve(weights.path, served);
  }
  curve.push(values['reward/mean'] ?? Number.NaN);
  const show = (name: string, digits = 3) => `${name} ${values[name]?.toFixed(digits) ?? '–'}`;
  console.log(
    [
      `${batchId} ${ack.status} v${ack.version}`,
      show('reward/mean'),
      show('kl/ref'),
      show('kl/approx_kl', 4),
      show('kl/mismatch_fresh', 9),
      show('kl/behave_k3', 4),
      show('ratio/ess', 2),
      show('clip/clip_ratio'),
      show('clip/rs_filtered_fraction'),
      show('optim/grad_norm', 2),
      show('policy/entropy'),
      show('time/total', 1),
      show('mem/rss_mib', 0),
    ].join(' · '),
  );
}
console.log(`after:  ${await evaluate()}`);
console.log(`curve ${curve.map((reward) => reward.toFixed(2)).join(' ')}`);
await trainer.finish();
answerer.stop();
