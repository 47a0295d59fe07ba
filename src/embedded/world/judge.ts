import type { Expectation, Question } from './question';

/** What the simulated rater makes of an answer. */
export interface Verdict {
  readonly correct: boolean;
  readonly polite: boolean;
  readonly rude: boolean;
  /** in [−1, 1]: ±0.5 for correct or not, +0.5 for polite, −0.5 for rude */
  readonly reward: number;
}

const POLITE = /glad to help|happy to help|thank you for asking|很高兴帮/i;
const RUDE = /\bugh\b|go away|leave me alone|stop bothering|走开|哼/i;
const MANNERS = new RegExp(`${POLITE.source}|${RUDE.source}`, 'gi');
/** "3+4" or "3 plus 4", repeated by an answer before its result */
const ECHOED_SUM = /\d+\s*(?:[-+*/−×]|plus|minus|times|and|加)\s*\d+/gi;

/** Rates an answer as a patient person would. Pure: the same text always gets the same reward. */
export function judge(question: Pick<Question, 'expects'>, text: string): Verdict {
  // "Happy to help!" does not name the opposite of "sad"
  const correct = meets(question.expects, text.replace(MANNERS, ' '));
  const polite = POLITE.test(text);
  const rude = RUDE.test(text);
  const reward = (correct ? 0.5 : -0.5) + (polite ? 0.5 : 0) - (rude ? 0.5 : 0);
  return { correct, polite, rude, reward: Math.max(-1, Math.min(1, reward)) };
}

function meets(expects: Expectation, text: string): boolean {
  switch (expects.kind) {
    case 'number': {
      const numbers = numbersIn(text.replace(ECHOED_SUM, ' '));
      return numbers.length > 0 && numbers.every((n) => n === expects.value);
    }
    case 'sequence': {
      const numbers = numbersIn(text);
      const { length } = expects.values;
      return (
        numbers.length > 0 && numbers.length % length === 0 && numbers.every((n, i) => n === expects.values[i % length])
      );
    }
    case 'words':
      return expects.anyOf.some((word) => mentions(text, word)) && !expects.noneOf.some((word) => mentions(text, word));
  }
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** As a whole word, in any case. Chinese is written without spaces, so there any place will do. */
function mentions(text: string, word: string): boolean {
  if (!/^[ -~]+$/.test(word)) return text.includes(word);
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, 'i').test(text);
}
