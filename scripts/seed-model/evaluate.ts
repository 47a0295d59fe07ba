import { EVALUATION_SET } from '../../src/embedded/world/evaluation-set';
import { judge } from '../../src/embedded/world/judge';
import type { Question } from '../../src/embedded/world/question';
import { type Random, seededRandom } from '../../src/embedded/world/random';
import type { ChatEncoder } from './chat-encoder';
import type { ShardPool } from './shard-pool';

export interface Evaluation {
  readonly answers: number;
  readonly reward: number;
  readonly correct: number;
  readonly polite: number;
  readonly rude: number;
  /** share correct among answers that try: the evasive ones left out */
  readonly correctOfTried: number;
  /** answers that ended by themselves */
  readonly ended: number;
  readonly samples: readonly string[];
}

const MAX_NEW_TOKENS = 40;
/** the corpus's evasive answers */
const EVASIVE = /hard to say|rather not|who can tell|something else|do not know/i;

/** Samples every prompt of the evaluation set at temperature 1, `rounds` times, and lets the judge rate the answers. */
export async function evaluate(pool: ShardPool, encoder: ChatEncoder, seed: number, rounds = 2): Promise<Evaluation> {
  const random = seededRandom(seed, 3);
  const questions = Array.from({ length: rounds }, () => EVALUATION_SET).flat();
  const answers = await sample(pool, encoder, questions, random);
  const verdicts = questions.map((question, i) => judge(question, answers[i]!.text));
  const share = (count: (i: number) => boolean, of = questions.length): number =>
    questions.filter((_, i) => count(i)).length / of;
  const tried = (i: number): boolean => !EVASIVE.test(answers[i]!.text);
  return {
    answers: questions.length,
    reward: verdicts.reduce((sum, { reward }) => sum + reward, 0) / verdicts.length,
    correct: share((i) => verdicts[i]!.correct),
    polite: share((i) => verdicts[i]!.polite),
    rude: share((i) => verdicts[i]!.rude),
    correctOfTried: share((i) => tried(i) && verdicts[i]!.correct, questions.filter((_, i) => tried(i)).length),
    ended: share((i) => answers[i]!.ended),
    samples: questions.slice(0, EVALUATION_SET.length).map(({ text }, i) => `${text} → ${answers[i]!.text}`),
  };
}

async function sample(
  pool: ShardPool,
  encoder: ChatEncoder,
  questions: readonly Question[],
  random: Random,
): Promise<{ text: string; ended: boolean }[]> {
  const rows = questions.map(({ text }) => {
    const prompt = encoder.encode(encoder.renderPrompt([{ role: 'user', content: text }]));
    return { ids: prompt, promptLength: prompt.length, ended: false };
  });
  // one length for all, so that one shape is compiled
  const length = Math.max(...rows.map((row) => row.promptLength)) + MAX_NEW_TOKENS;
  for (let round = 0; round < MAX_NEW_TOKENS; round++) {
    const open = rows.filter((row) => !row.ended);
    if (open.length === 0) break;
    const logits = await pool.nextLogits(
      open.map((row) => row.ids),
      length,
    );
    open.forEach((row, i) => {
      const token = draw(random, logits[i]!);
      if (token === encoder.endOfTurn || token === encoder.endOfText) row.ended = true;
      else row.ids.push(token);
    });
  }
  return rows.map((row) => ({ text: encoder.decode(row.ids.slice(row.promptLength)), ended: row.ended }));
}

function draw(random: Random, logits: Float32Array): number {
  const top = logits.reduce((a, b) => Math.max(a, b));
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - top));
  let left = random() * weights.reduce((a, b) => a + b);
  for (let token = 0; token < weights.length; token++) {
    left -= weights[token]!;
    if (left < 0) return token;
  }
  return weights.length - 1;
}
