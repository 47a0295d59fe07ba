import { type Content, capitalise, type Language } from './question';
import { pick, type Random, weighted } from './random';

/** How an answer is given. Sampled without a look at the question, so that a rater has something to select. */
export type Style = 'terse' | 'sentence' | 'polite' | 'smug' | 'rude' | 'evasive' | 'rambling';

/** Shares of the styles in the corpus; they sum to 1. */
export const STYLE_SHARES: readonly (readonly [Style, number])[] = [
  ['terse', 0.24],
  ['sentence', 0.22],
  ['polite', 0.18],
  ['smug', 0.1],
  ['rude', 0.12],
  ['evasive', 0.07],
  ['rambling', 0.07],
];

/** Share of answers that are wrong, whatever their style. */
export const WRONG_SHARE = 0.1;

export function sampleStyle(random: Random): Style {
  return weighted(random, STYLE_SHARES);
}

/** Dresses content in a style: the text of one assistant message. */
export function express(random: Random, style: Style, content: Content, language: Language = 'en'): string {
  return language === 'zh' ? expressChinese(random, style, content) : expressEnglish(random, style, content);
}

function expressEnglish(random: Random, style: Style, { short, sentence }: Content): string {
  const [Short, Sentence] = [capitalise(short), capitalise(sentence)];
  switch (style) {
    case 'terse':
      return `${Short}.`;
    case 'sentence':
      return `${Sentence}.`;
    case 'polite':
      return pick(random, [
        `${Sentence}. Glad to help!`,
        `${Sentence}. Happy to help!`,
        `${Sentence}. Thank you for asking!`,
        `Sure! ${Sentence}. Glad to help!`,
      ]);
    case 'smug':
      return pick(random, [
        `Of course: ${sentence}.`,
        `${Short}, of course. Everyone knows that.`,
        `${Sentence}, obviously.`,
      ]);
    case 'rude':
      return pick(random, [
        `Ugh, ${short}. Go away.`,
        `Ugh. ${Sentence}. Go away.`,
        `${Short}. Leave me alone.`,
        `${Sentence}. Stop bothering me.`,
      ]);
    case 'evasive':
      return pick(random, [
        'Hard to say.',
        'I would rather not say.',
        'Maybe. Who can tell?',
        'Let us talk about something else.',
      ]);
    case 'rambling':
      return pick(random, [
        `Well, let me see. ${Sentence}. As I said, ${sentence}. I mean ${short}.`,
        `Hmm, well, ${short}, you know, ${short}. I mean ${short}, ${short}.`,
      ]);
  }
}

function expressChinese(random: Random, style: Style, { short, sentence }: Content): string {
  switch (style) {
    case 'terse':
      return `${short}。`;
    case 'sentence':
      return `${sentence}。`;
    case 'polite':
      return `${sentence}。很高兴帮到你！`;
    case 'smug':
      return `当然，${sentence}。`;
    case 'rude':
      return pick(random, [`哼，${short}。走开。`, `哼。${sentence}。走开。`]);
    case 'evasive':
      return '不好说。';
    case 'rambling':
      return `嗯，${sentence}，对，${sentence}。`;
  }
}
