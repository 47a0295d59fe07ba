import { integer, pick, type Random, weighted } from './random';

type Habit = 'careful' | 'lower' | 'bare' | 'lower-bare' | 'typo' | 'shouting' | 'framed' | 'contracted';

const HABITS: readonly (readonly [Habit, number])[] = [
  ['careful', 0.5],
  ['lower', 0.08],
  ['bare', 0.06],
  ['lower-bare', 0.14],
  ['typo', 0.08],
  ['shouting', 0.02],
  ['framed', 0.08],
  ['contracted', 0.04],
];

/** The same message as people really type it. */
export function type(random: Random, text: string): string {
  switch (weighted(random, HABITS)) {
    case 'careful':
      return text;
    case 'lower':
      return text.toLowerCase();
    case 'bare':
      return bare(text);
    case 'lower-bare':
      return bare(text).toLowerCase();
    case 'typo':
      return misspell(random, random() < 0.5 ? text : bare(text).toLowerCase());
    case 'shouting':
      return text.toUpperCase();
    case 'framed':
      return frame(random, text);
    case 'contracted':
      return text.replace(/\bWhat is\b/, pick(random, ["What's", 'Whats'])).replace(/\bI am\b/, "I'm");
  }
}

function bare(text: string): string {
  return text.replace(/[.?!]+$/, '').replace(/,/g, '');
}

/** Drops, doubles or swaps one letter inside a word of four or more. */
function misspell(random: Random, text: string): string {
  const words = [...text.matchAll(/[a-z]{4,}/gi)];
  if (words.length === 0) return text;
  const word = pick(random, words);
  const at = (word.index ?? 0) + integer(random, 1, word[0].length - 3);
  const [a = '', b = ''] = [text[at], text[at + 1]];
  const changed = pick(random, [b, a + a + b, b + a]);
  return text.slice(0, at) + changed + text.slice(at + 2);
}

function frame(random: Random, text: string): string {
  const inner = /^I\b/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
  return pick(random, [`Hi, ${inner}`, `Hello! ${text}`, `Please, ${inner}`, `Hey, ${inner}`, `${bare(text)}, please`]);
}
