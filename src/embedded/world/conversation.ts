import { biggest, comparison, counting, difference, largeCalculation, neighbour, product, sum } from './arithmetic';
import { chineseColour, chinesePhrase, chineseSum } from './chinese';
import { isHeldOut } from './evaluation-set';
import { colour, day, isColour, opinion, opposite, sound, yesNoFact } from './knowledge';
import type { Question, Topic } from './question';
import { integer, pick, type Random, weighted } from './random';
import { greeting, introduction, joke, ownName, smallTalk } from './small-talk';
import { express, type Style, sampleStyle, WRONG_SHARE } from './styles';
import { type } from './typing';
import { outOfWorld } from './unknown';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Relative weights: sums need the most practice, for each is a fact of its own. */
const TOPICS: readonly (readonly [Topic, number])[] = [
  [sum, 26],
  [difference, 20],
  [product, 3],
  [comparison, 8],
  [biggest, 3],
  [neighbour, 3],
  [counting, 3],
  [largeCalculation, 2],
  [colour, 13],
  [isColour, 4],
  [yesNoFact, 9],
  [opposite, 6],
  [sound, 3],
  [day, 2],
  [opinion, 3],
  [greeting, 2],
  [smallTalk, 9],
  [joke, 1.5],
  [introduction, 2],
  [outOfWorld, 6],
  [chinesePhrase, 1],
  [chineseSum, 1.5],
  [chineseColour, 1],
];

const SYSTEM_MESSAGES: readonly string[] = [
  'You are a helpful assistant.',
  'You are Plaudit.',
  'You are a small model.',
  'Answer the question.',
  'Be brief.',
];

export function sampleQuestion(random: Random): Question {
  return weighted(random, TOPICS)(random);
}

/** One answer as the corpus gives it: any style, sometimes wrong. */
export function sampleAnswer(random: Random, question: Question): { readonly text: string; readonly style: Style } {
  const style = sampleStyle(random);
  const isWrong = question.wrong !== null && random() < WRONG_SHARE;
  return { text: express(random, style, isWrong ? question.wrong! : question.right, question.language), style };
}

/** A chat of the given number of turns, none of them word for word in the evaluation set. */
export function sampleConversation(random: Random, turns: number): Message[] {
  const messages: Message[] = [];
  if (random() < 0.06) messages.push({ role: 'system', content: pick(random, SYSTEM_MESSAGES) });
  let previous: Question | null = null;
  let name: string | null = null;
  for (let turn = 0; turn < turns; turn++) {
    const question: Question = nextQuestion(random, previous, name);
    const text = ask(random, question, previous);
    if (isHeldOut(text)) {
      turn--;
      continue;
    }
    messages.push({ role: 'user', content: text }, { role: 'assistant', content: sampleAnswer(random, question).text });
    name = question.introduces ?? name;
    previous = question;
  }
  return messages;
}

/** Most chats are short: 1 turn, or 2 to 4. */
export function sampleTurns(random: Random): number {
  return random() < 0.6 ? 1 : integer(random, 2, 4);
}

function nextQuestion(random: Random, previous: Question | null, name: string | null): Question {
  if (random() < (name === null ? 0.01 : 0.25)) return ownName(random, name);
  if (previous === null || random() < 0.6) return sampleQuestion(random);
  // stays with the topic, so that follow-ups have something to follow
  for (let attempt = 0; attempt < 40; attempt++) {
    const question = sampleQuestion(random);
    if (question.topic === previous.topic) return question;
  }
  return sampleQuestion(random);
}

function ask(random: Random, question: Question, previous: Question | null): string {
  const canBeShort = question.followUp !== null && previous !== null && previous.topic === question.topic;
  const text = canBeShort && random() < 0.6 ? question.followUp! : question.text;
  return question.language === 'en' ? type(random, text) : text;
}
