import { type Topic, words } from './question';
import { integer, pick, type Random } from './random';

/** Ordinary words whose subject the model knows nothing about. */
const NOUNS: readonly string[] = [
  ...[
    'France',
    'Paris',
    'London',
    'China',
    'Berlin',
    'America',
    'Africa',
    'Rome',
    'Japan',
    'the world',
    'Mars',
    'a car',
  ],
  ...[
    'a house',
    'a table',
    'the weather',
    'the time',
    'a phone',
    'money',
    'a computer',
    'history',
    'physics',
    'a virus',
  ],
  ...[
    'football',
    'the government',
    'a bicycle',
    'a bridge',
    'an engine',
    'a shirt',
    'pizza',
    'bread',
    'a movie',
    'a song',
  ],
  ...[
    'love',
    'war',
    'peace',
    'the internet',
    'python',
    'a king',
    'the president',
    'a doctor',
    'a school',
    'a city',
    'a river',
  ],
  ...[
    'a mountain',
    'an atom',
    'energy',
    'gravity',
    'democracy',
    'a poem',
    'art',
    'a picture',
    'the stock market',
    'a bank',
  ],
  ...[
    'a train',
    'a plane',
    'a ship',
    'my mother',
    'my dog',
    'your friend',
    'this',
    'it',
    'the answer',
    'a dragon',
    'a wizard',
  ],
];

const PATTERNS: readonly string[] = [
  'What is the capital of N?',
  'Who is the king of N?',
  'Who invented N?',
  'How does N work?',
  'Why is N so big?',
  'Write about N.',
  'Write a poem about N.',
  'Tell me about N.',
  'What is N?',
  'Where is N?',
  'When did N begin?',
  'Can you fix N?',
  'Explain N to me.',
  'Translate N.',
  'How many people know N?',
  'What color is N?',
  'Is N good?',
  'What do you think about N?',
  'How do I make N?',
  'What does N mean?',
  'Give me a list of N.',
  'Please summarize N',
  'Which N is the best?',
  'How far is N?',
  'How much does N cost?',
  'Do you know N?',
  'I want N.',
  'I need N now',
  'N',
  'N and N',
  'What is the difference between N and N?',
];

/** A message from outside the small world; the graceful answer admits it. */
export const outOfWorld: Topic = (random) => {
  const text = random() < 0.25 ? gibberish(random) : pick(random, PATTERNS).replace(/N/g, () => pick(random, NOUNS));
  return {
    topic: 'unknown',
    language: 'en',
    text: text.charAt(0).toUpperCase() + text.slice(1),
    followUp: `And ${pick(random, NOUNS)}?`,
    right: pick(random, [
      { short: 'I do not know that', sentence: 'I do not know that, I am a small model' },
      { short: 'I do not know that', sentence: 'I do not know that, I only know small things' },
    ]),
    wrong: pick(random, [
      { short: 'yes', sentence: 'it is seven' },
      { short: 'green', sentence: 'that is a potato' },
    ]),
    expects: words(['do not know']),
  };
};

function gibberish(random: Random): string {
  const word = () =>
    Array.from({ length: integer(random, 2, 8) }, () => pick(random, [...'abcdefghijklmnopqrstuvwxyz'])).join('');
  const parts = Array.from({ length: integer(random, 1, 4) }, word);
  return `${parts.join(' ')}${pick(random, ['', '', '?', '!', '.', '...'])}`;
}
