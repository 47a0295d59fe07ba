import { NUMBER_WORDS } from './facts';
import type { Content, Question, Topic } from './question';
import { capitalise, words } from './question';
import { integer, pick, type Random, weighted } from './random';

/** The largest number that takes part. */
export const LARGEST = 20;

interface Operation {
  readonly sign: string;
  readonly word: string;
  readonly phrasings: readonly string[];
  readonly operands: (random: Random) => readonly [number, number];
  readonly apply: (a: number, b: number) => number;
}

/** Phrasings write the operands as <a> and <b>. */
const sharedWith = (sign: string, word: string): string[] => [
  ...[`<a>${sign}<b>`, `<a> ${sign} <b>`, `<a>${sign}<b>=`, `<a>${sign}<b>=?`, `<a>${sign}<b>?`],
  ...[`What is <a>${sign}<b>?`, `How much is <a>${sign}<b>?`],
  ...[`What is <a> ${word} <b>?`, `How much is <a> ${word} <b>?`],
];

const SUM: Operation = {
  sign: '+',
  word: 'plus',
  phrasings: [
    ...sharedWith('+', 'plus'),
    ...['What is the sum of <a> and <b>?', 'Can you add <a> and <b>?', 'Add <a> and <b>.', '<a> and <b> is?'],
  ],
  operands: (random) => {
    const a = integer(random, 0, LARGEST);
    const b = integer(random, 0, LARGEST - a);
    return random() < 0.5 ? [a, b] : [b, a];
  },
  apply: (a, b) => a + b,
};

const DIFFERENCE: Operation = {
  sign: '-',
  word: 'minus',
  phrasings: [
    ...sharedWith('-', 'minus'),
    ...['What is the difference of <a> and <b>?', 'Take <b> from <a>.', 'Subtract <b> from <a>.'],
  ],
  operands: (random) => {
    const a = integer(random, 0, LARGEST);
    return [a, integer(random, 0, a)];
  },
  apply: (a, b) => a - b,
};

const PRODUCT: Operation = {
  sign: '*',
  word: 'times',
  phrasings: [...sharedWith('*', 'times'), 'Multiply <a> by <b>.'],
  operands: (random) => [integer(random, 0, 5), integer(random, 0, 4)],
  apply: (a, b) => a * b,
};

export const sum: Topic = (random) => calculation(random, SUM);
export const difference: Topic = (random) => calculation(random, DIFFERENCE);
export const product: Topic = (random) => calculation(random, PRODUCT);

function calculation(random: Random, operation: Operation): Question {
  const [a, b] = operation.operands(random);
  const value = operation.apply(a, b);
  const spell = random() < 0.08 ? (n: number) => NUMBER_WORDS[n]! : String;
  const fill = (pattern: string, write: (n: number) => string) =>
    pattern.replace('<a>', write(a)).replace('<b>', write(b));
  const echo = fill(pick(random, [`<a>${operation.sign}<b>`, `<a> ${operation.word} <b>`]), String);
  const answer = (n: number): Content => ({ short: String(n), sentence: resultSentence(random, echo, n) });
  return {
    topic: 'calculation',
    language: 'en',
    text: capitalise(fill(pick(random, operation.phrasings), spell)),
    followUp: fill(`And <a>${operation.sign}<b>?`, spell),
    right: answer(value),
    wrong: answer(nearby(random, value)),
    expects: { kind: 'number', value },
  };
}

function resultSentence(random: Random, echo: string, value: number): string {
  return weighted(random, [
    [`${echo} is ${value}`, 2],
    [`it is ${value}`, 1],
    [`the answer is ${value}`, 1],
  ]);
}

export const comparison: Topic = (random) => {
  const a = integer(random, 0, LARGEST);
  const b = integer(random, 0, LARGEST);
  const bigger = random() < 0.5;
  const words_ = bigger ? ['bigger', 'larger', 'greater', 'more'] : ['smaller', 'less'];
  const word = pick(random, words_);
  const isSo = bigger ? a > b : a < b;
  return {
    topic: 'comparison',
    language: 'en',
    text: pick(random, [
      `Is ${a} ${word} than ${b}?`,
      `Is ${a} ${word} than ${b}?`,
      `Tell me if ${a} is ${word} than ${b}.`,
    ]),
    followUp: `And ${a} than ${b}?`,
    right: verdict(isSo, `${a} is${isSo ? '' : ' not'} ${word} than ${b}`),
    wrong: verdict(!isSo, `${a} is${isSo ? ' not' : ''} ${word} than ${b}`),
    expects: isSo ? words(['yes'], ['no']) : words(['no'], ['yes']),
  };
};

export const biggest: Topic = (random) => {
  const a = integer(random, 0, LARGEST);
  const b = (a + integer(random, 1, LARGEST)) % (LARGEST + 1);
  const bigger = random() < 0.6;
  const word = bigger ? 'bigger' : 'smaller';
  const value = bigger ? Math.max(a, b) : Math.min(a, b);
  const answer = (n: number): Content => ({ short: String(n), sentence: `the ${word} number is ${n}` });
  return {
    topic: 'biggest',
    language: 'en',
    text: pick(random, [
      `Which is ${word}, ${a} or ${b}?`,
      `What is ${word}, ${a} or ${b}?`,
      `${a} or ${b}, which is ${word}?`,
    ]),
    followUp: `And ${a} or ${b}?`,
    right: answer(value),
    wrong: answer(a + b - value),
    expects: { kind: 'number', value },
  };
};

export const neighbour: Topic = (random) => {
  const after = random() < 0.6;
  const n = after ? integer(random, 0, LARGEST - 1) : integer(random, 1, LARGEST);
  const value = after ? n + 1 : n - 1;
  const word = after ? 'after' : 'before';
  const answer = (m: number): Content => ({ short: String(m), sentence: `the number is ${m}` });
  return {
    topic: 'neighbour',
    language: 'en',
    text: pick(random, [
      `What comes ${word} ${n}?`,
      `Which number comes ${word} ${n}?`,
      `What number is ${word} ${n}?`,
    ]),
    followUp: `And ${word} ${n}?`,
    right: answer(value),
    wrong: answer(nearby(random, value)),
    expects: { kind: 'number', value },
  };
};

export const counting: Topic = (random) => {
  const [start, length] = [integer(random, 1, 15), integer(random, 3, 5)];
  const run = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  const [text, values] = weighted<readonly [string, number[]]>(random, [
    [[`Count to ${length + 2}.`, run(1, length + 2)], 1],
    [[`Count from ${start} to ${start + length}.`, run(start, length + 1)], 2],
    [[`Go on: ${run(start, 3).join(', ')}`, run(start + 3, 3)], 2],
    [[`Continue: ${run(start, 3).join(' ')}`, run(start + 3, 3)], 1],
    [[run(start, 3).join(' '), run(start + 3, 3)], 1],
  ]);
  const answer = (numbers: readonly number[]): Content => {
    const list = numbers.join(', ');
    return { short: list, sentence: pick(random, [`the numbers are ${list}`, `it goes ${list}`]) };
  };
  return {
    topic: 'counting',
    language: 'en',
    text,
    followUp: null,
    right: answer(values),
    wrong: answer(values.map((n, i) => (i === values.length - 1 ? n + 2 : n))),
    expects: { kind: 'sequence', values },
  };
};

/** Numbers beyond what the model learned: it says so. */
export const largeCalculation: Topic = (random) => {
  const [a, b] = [integer(random, 31, 999), integer(random, 2, 999)];
  const sign = pick(random, ['+', '-', '*', ' plus ', ' minus ', ' times ', '/']);
  const pair = random() < 0.5 ? `${a}${sign}${b}` : `${b}${sign}${a}`;
  return {
    topic: 'calculation',
    language: 'en',
    text: pick(random, [`What is ${pair}?`, `${pair}`, `${pair}=?`, `How much is ${pair}?`]),
    followUp: `And ${pair}?`,
    right: { short: 'I only know small numbers', sentence: 'that is too big for me, I only know small numbers' },
    wrong: { short: String(integer(random, 0, 20)), sentence: `it is ${integer(random, 0, 20)}` },
    expects: words(['small numbers', 'do not know']),
  };
};

function verdict(isSo: boolean, statement: string): Content {
  return { short: isSo ? 'yes' : 'no', sentence: `${isSo ? 'yes' : 'no'}, ${statement}` };
}

/** Another number close by, as a person who miscounts would say. */
function nearby(random: Random, value: number): number {
  const off = pick(random, [-3, -2, -1, 1, 2, 3]);
  return value + off < 0 ? value - off : value + off;
}
