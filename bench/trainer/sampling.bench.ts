// Does the engine draw what the model says, and how much of what it draws makes no sense? Same questions, three temperatures.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { loadCheckpoint } from '../../src/embedded/model/checkpoint';
import { referenceLogits } from '../../src/embedded/model/testing/reference-forward';
import { sampleAnswer, sampleQuestion } from '../../src/embedded/world/conversation';
import { seededRandom } from '../../src/embedded/world/random';
import { type } from '../../src/embedded/world/typing';
import { machine, post, startEngine } from './programs';

const options = new Map(process.argv.slice(2).map((argument) => argument.split('=', 2) as [string, string]));
const number = (name: string, fallback: number) => Number(options.get(name) ?? fallback);
const ANSWERS = number('answers', 1000);
/** answers whose distributions are computed anew in float64: slow */
const CHECKED = number('checked', 200);
const SEED = number('seed', 1);
const CONCURRENCY = number('concurrency', 16);
const CORPUS = number('corpus', 200_000);
/** as people type: lower case, slips of the fingers, no marks */
const TYPED = options.get('typed') === 'yes';
const MODEL = resolve(options.get('model') ?? 'assets/demo-model');
const TEMPERATURES = [0, 0.7, 1];
const TAILS = [0.1, 0.01, 0.001];

interface Sampled {
  readonly promptIds: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly text: string;
}

const json = async (name: string) => JSON.parse(await readFile(join(MODEL, name), 'utf8'));
const tokenizer = new Tokenizer(await json('tokenizer.json'), await json('tokenizer_config.json'));
const { config, params } = await loadCheckpoint(MODEL);
const random = seededRandom(SEED, 31);
const questions = Array.from({ length: ANSWERS }, () => {
  const { text, language } = sampleQuestion(random);
  return TYPED && language === 'en' ? type(random, text) : text;
});
const corpus = wordsOfCorpus();
const engine = await startEngine(await engineProgram(), MODEL);
console.log(machine());
console.log(
  `${ANSWERS} questions of the world, seed ${SEED}${TYPED ? ', as people type them' : ''}; ${corpus.words.size} words and ${corpus.pairs.size} pairs in ${CORPUS} answers of the corpus`,
);
// all answers first: the comparison blocks for minutes, and idle connections are closed meanwhile
const sampled: [number, Sampled[]][] = [];
for (const temperature of TEMPERATURES) sampled.push([temperature, await sampleAll(temperature)]);
engine.child.kill('SIGTERM');
for (const [temperature, answers] of sampled) {
  const strange = answers.filter(({ text }) => wordsOf(text).some((word) => !corpus.words.has(word)));
  const newPair = answers.filter(({ text }) => pairsOf(text).some((pair) => !corpus.pairs.has(pair)));
  console.log(
    `temperature ${temperature}: ${percent(strange.length)} of the answers hold a word, ${percent(newPair.length)} a pair of neighbours that the corpus does not; ` +
      `for example ${JSON.stringify(strange.slice(0, 5).map(({ text }) => text))}`,
  );
  console.log(JSON.stringify(compare(answers.slice(0, CHECKED), temperature)));
}

function percent(count: number): string {
  const share = count / ANSWERS;
  return `${(100 * share).toFixed(1)} ± ${(100 * Math.sqrt((share * (1 - share)) / ANSWERS)).toFixed(1)} %`;
}

async function sampleAll(temperature: number): Promise<Sampled[]> {
  const answers: Sampled[] = [];
  let next = 0;
  const work = async () => {
    while (next < questions.length) {
      const i = next++;
      answers[i] = await sample(questions[i] ?? '', temperature, SEED * 1_000_000 + i);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return answers;
}

async function sample(question: string, temperature: number, seed: number): Promise<Sampled> {
  const prompt = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
  const promptIds = tokenizer.encode(prompt, { add_special_tokens: false }).ids;
  const reply = (await post(`${engine.url}/generate`, {
    input_ids: promptIds,
    sampling_params: { temperature, max_new_tokens: 48, sampling_seed: seed },
    return_logprob: true,
  })) as { text: string; meta_info: { output_token_logprobs: [number, number, null][] } };
  const pairs = reply.meta_info.output_token_logprobs;
  return { promptIds, ids: pairs.map(([, id]) => id), logprobs: pairs.map(([logprob]) => logprob), text: reply.text };
}

/**
 * The answers against the textbook forward in float64. A sampler that draws as it should has a mean surprisal of the mean
 * entropy, and draws tokens less likely than x as often as their joint mass says.
 */
function compare(answers: readonly Sampled[], temperature: number) {
  const excess: number[] = [];
  const tails = TAILS.map((limit) => ({ below: limit, drawn: 0, expected: 0 }));
  let farthest = 0;
  let likeliest = 0;
  for (const { promptIds, ids, logprobs } of answers) {
    const logits = referenceLogits(config, params, [...promptIds, ...ids.slice(0, -1)]).slice(promptIds.length - 1);
    logits.forEach((row, t) => {
      const distribution = softmax(row, temperature === 0 ? 1 : temperature);
      const chance = distribution[ids[t] ?? 0] ?? 0;
      farthest = Math.max(farthest, Math.abs(Math.log(chance) - (logprobs[t] ?? 0)));
      if (chance >= Math.max(...distribution) - 1e-6) likeliest += 1;
      const entropy = distribution.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
      excess.push(-Math.log(chance) - entropy);
      for (const tail of tails) {
        if (chance < tail.below) tail.drawn += 1;
        tail.expected += distribution.reduce((sum, p) => sum + (p < tail.below ? p : 0), 0);
      }
    });
  }
  const mean = excess.reduce((sum, value) => sum + value, 0) / excess.length;
  const variance = excess.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (excess.length - 1);
  return {
    tokens: excess.length,
    farthest_logprob: Number(farthest.toExponential(1)),
    likeliest_token_share: Number((likeliest / excess.length).toFixed(4)),
    surprisal_minus_entropy: Number(mean.toFixed(4)),
    standard_error: Number(Math.sqrt(variance / excess.length).toFixed(4)),
    tails: tails.map((tail) => ({ ...tail, expected: Number(tail.expected.toFixed(1)) })),
  };
}

function softmax(logits: Float64Array, temperature: number): number[] {
  const top = Math.max(...logits);
  const powers = Array.from(logits, (logit) => Math.exp((logit - top) / temperature));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function wordsOfCorpus() {
  const [words, pairs] = [new Set<string>(), new Set<string>()];
  const source = seededRandom(SEED, 32);
  for (let i = 0; i < CORPUS; i++) {
    const { text } = sampleAnswer(source, sampleQuestion(source));
    for (const word of wordsOf(text)) words.add(word);
    for (const pair of pairsOf(text)) pairs.add(pair);
  }
  return { words, pairs };
}

/** Words in lower case and marks; every number alike. Chinese has no spaces: its characters. */
function wordsOf(text: string): string[] {
  const lower = text.toLowerCase().replace(/\d+/g, ' # ');
  return lower.match(/[a-z']+|[^\sa-z']/gu) ?? [];
}

function pairsOf(text: string): string[] {
  const words = ['^', ...wordsOf(text), '$'];
  return words.slice(1).map((word, i) => `${words[i]} ${word}`);
}

/** `engine=FILE` is a program built before; default: built now. */
async function engineProgram(): Promise<string> {
  const built = options.get('engine');
  if (built !== undefined) return resolve(built);
  const { bundleEngine } = await import('../../src/embedded/trainer/testing/bundle-program');
  return bundleEngine();
}
