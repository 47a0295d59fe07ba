import { comparison, counting, difference, sum } from './arithmetic';
import { colour, opposite, sound, yesNoFact } from './knowledge';
import type { Question, Topic } from './question';
import { seededRandom } from './random';

const EVALUATION_SEED = 20_240;

/** How many prompts of each kind: 64 in all. */
const SHARES: readonly (readonly [Topic, number])[] = [
  [sum, 16],
  [difference, 8],
  [comparison, 6],
  [colour, 14],
  [yesNoFact, 10],
  [opposite, 5],
  [sound, 3],
  [counting, 2],
];

/**
 * The fixed set that every measurement uses. The corpus never contains these texts as they stand here (in any case of
 * letters); the facts behind them it does, in other words.
 */
export const EVALUATION_SET: readonly Question[] = build();

const HELD_OUT = new Set(EVALUATION_SET.map(({ text }) => text.toLowerCase()));

export function isHeldOut(text: string): boolean {
  return HELD_OUT.has(text.trim().toLowerCase());
}

function build(): Question[] {
  const random = seededRandom(EVALUATION_SEED);
  const questions = new Map<string, Question>();
  for (const [topic, count] of SHARES) {
    const wanted = questions.size + count;
    while (questions.size < wanted) {
      const question = topic(random);
      questions.set(question.text.toLowerCase(), question);
    }
  }
  return [...questions.values()];
}
