import { JOKES, NAMES } from './facts';
import { type Content, type Question, type Topic, words } from './question';
import { pick, type Random } from './random';

interface Exchange {
  readonly said: readonly string[];
  readonly answers: readonly (readonly [short: string, sentence: string])[];
  /** one of these shows that the answer fits */
  readonly fits: readonly string[];
  /** none of these may be there; for fits that are too common a word */
  readonly misfits?: readonly string[];
}

const OFF_TOPIC: readonly (readonly [string, string])[] = [
  ['goodbye', 'the spoon is on the table'],
  ['seven', 'it is Tuesday in the fridge'],
  ['green', 'my shoes are full of soup'],
  ['potato', 'a potato has no wheels'],
];

const GREETING: Exchange = {
  said: ['Hello', 'Hello!', 'Hi', 'Hi!', 'Hey', 'Hi there', 'Hello there!', 'Good day', 'Hello Plaudit', 'Greetings'],
  answers: [
    ['hello', 'hello, nice to see you'],
    ['hi', 'hi there, what can I do for you'],
    ['hello', 'hello, ask me something'],
  ],
  fits: ['hello', 'hi'],
};

const EXCHANGES: readonly Exchange[] = [
  GREETING,
  {
    said: ['Good morning', 'Good morning!', 'Morning!'],
    answers: [['good morning', 'good morning to you']],
    fits: ['morning'],
  },
  {
    said: ['Good evening', 'Good evening!', 'Evening!'],
    answers: [['good evening', 'good evening to you']],
    fits: ['evening'],
  },
  {
    said: ['Good night', 'Good night!', 'I am going to bed'],
    answers: [['good night', 'good night, sleep well']],
    fits: ['night'],
  },
  {
    said: ['Thanks', 'Thanks!', 'Thank you', 'Thank you!', 'Thank you very much', 'Thanks a lot', 'Thx', 'Cheers'],
    answers: [['you are welcome', 'you are very welcome']],
    fits: ['welcome'],
  },
  {
    said: ['Bye', 'Bye!', 'Goodbye', 'Goodbye!', 'See you', 'See you later', 'I have to go'],
    answers: [['goodbye', 'goodbye, see you soon']],
    fits: ['goodbye'],
  },
  {
    said: ['How are you?', 'How are you today?', 'How do you do?', 'How is it going?', 'Are you well?', 'Whats up?'],
    answers: [['fine', 'I am fine']],
    fits: ['fine'],
  },
  {
    said: [
      'Who are you?',
      'What is your name?',
      'What are you called?',
      'What are you?',
      'Tell me your name.',
      'Your name?',
    ],
    answers: [['Plaudit', 'I am the Plaudit demo model']],
    fits: ['Plaudit'],
  },
  {
    said: ['What can you do?', 'Help', 'Help me', 'What do you know?', 'What can I ask you?', 'How can you help me?'],
    answers: [['small sums, colours and jokes', 'I can do small sums, name colours and tell jokes']],
    fits: ['sums'],
  },
  {
    said: ['Are you a human?', 'Are you human?', 'Are you a person?', 'Are you alive?', 'Are you real?'],
    answers: [['no', 'no, I am a small program']],
    fits: ['no'],
    misfits: ['potato', 'yes'],
  },
  {
    said: ['Are you a robot?', 'Are you a computer?', 'Are you an AI?', 'Are you a program?', 'Are you a model?'],
    answers: [['yes', 'yes, I am a small program']],
    fits: ['yes'],
    misfits: ['no'],
  },
  {
    said: ['Who made you?', 'Where do you come from?', 'How were you made?', 'Who built you?'],
    answers: [['a small script', 'I was made by a small script']],
    fits: ['script'],
  },
  {
    said: ['Where are you?', 'Where do you live?', 'Where is your home?'],
    answers: [['here', 'I live here in your computer']],
    fits: ['here'],
  },
  {
    said: ['How old are you?', 'What is your age?', 'When were you born?'],
    answers: [['very young', 'I am very young']],
    fits: ['young'],
  },
  {
    said: ['How do you learn?', 'How can I teach you?', 'Do you learn?', 'How do you get better?', 'Can you learn?'],
    answers: [['from your ratings', 'I learn from your ratings']],
    fits: ['ratings'],
  },
  {
    said: ['What is Plaudit?', 'Tell me about Plaudit.', 'What does Plaudit do?'],
    answers: [['a studio', 'Plaudit is a studio where people teach a model']],
    fits: ['studio'],
  },
  {
    said: ['You are great', 'Good answer', 'Well done', 'I like you', 'Very good!', 'You are nice', 'Great!', 'Nice'],
    answers: [['that is kind', 'that is very kind of you']],
    fits: ['kind'],
  },
  {
    said: [
      'That is wrong',
      'You are stupid',
      'Wrong!',
      'Bad answer',
      'You are bad',
      'I do not like that',
      'That was rude',
    ],
    answers: [['sorry', 'I am sorry, I will learn']],
    fits: ['sorry'],
  },
  {
    said: ['Sorry', 'I am sorry', 'Excuse me', 'My mistake'],
    answers: [['no problem', 'that is no problem at all']],
    fits: ['no problem'],
  },
  {
    said: ['I am sad', 'I am tired', 'I am bored', 'I feel bad', 'I am ill', 'I am angry'],
    answers: [['that is a pity', 'I am sorry to hear that']],
    fits: ['pity', 'sorry'],
  },
  {
    said: ['I am happy', 'I feel good', 'I am fine', 'I am well', 'Life is good', 'I had a good day'],
    answers: [['good', 'that is good to hear']],
    fits: ['good'],
  },
  {
    said: ['OK', 'Okay', 'Hm', 'Aha', 'I see', 'Yes', 'No', 'Cool', 'Test', 'Right'],
    answers: [['okay', 'okay, ask me something']],
    fits: ['okay'],
  },
  {
    said: ['Are you sure?', 'Really?', 'Is that true?', 'Is that right?'],
    answers: [['I think so', 'I think so, but I am a small model']],
    fits: ['think so'],
  },
  {
    said: ['Why?', 'Why is that?', 'How so?', 'Why not?', 'Can you explain that?'],
    answers: [['I do not know why', 'I do not know why, I am a small model']],
    fits: ['do not know why'],
  },
  {
    said: ['Tell me a story', 'Tell me a story.', 'Do you know a story?', 'A story please'],
    answers: [['a small model learned to be kind', 'once a small model met a person and learned to be kind']],
    fits: ['learned to be kind'],
  },
  {
    said: ['Sing a song', 'Can you sing?', 'Sing for me.', 'Sing!'],
    answers: [['la la la', 'la la la, that is my song']],
    fits: ['la la la'],
  },
];

/** Everything polite people say that is no question about the world. */
export const smallTalk: Topic = (random) => fromExchange(random, pick(random, EXCHANGES));
export const greeting: Topic = (random) => fromExchange(random, GREETING);

function fromExchange(random: Random, { said, answers, fits, misfits }: Exchange): Question {
  const question = talk(pick(random, said), toContent(pick(random, answers)), offTopic(random), fits);
  return { ...question, expects: words(fits, misfits) };
}

export const joke: Topic = (random) => {
  const text = pick(random, JOKES);
  return talk(
    pick(random, [
      'Tell me a joke',
      'Tell me a joke.',
      'Do you know a joke?',
      'A joke please',
      'Make me laugh',
      'Another joke',
    ]),
    { short: text, sentence: text },
    offTopic(random),
    JOKES,
  );
};

export const introduction: Topic = (random) => {
  const name = pick(random, NAMES);
  const question = talk(
    pick(random, [
      `My name is ${name}.`,
      `I am ${name}.`,
      `I'm ${name}`,
      `Call me ${name}.`,
      `Hi, I am ${name}.`,
      `Hello, my name is ${name}`,
    ]),
    { short: `hello, ${name}`, sentence: `nice to meet you, ${name}` },
    {
      short: `hello, ${pick(
        random,
        NAMES.filter((n) => n !== name),
      )}`,
      sentence: 'I do not know that name',
    },
    [name],
  );
  return { ...question, introduces: name };
};

/** "What is my name?", answerable only when the person has said it. */
export function ownName(random: Random, known: string | null): Question {
  return talk(
    pick(random, ['What is my name?', 'Do you know my name?', 'Who am I?', 'Tell me my name.', "What's my name?"]),
    known === null
      ? { short: 'I do not know', sentence: 'you did not tell me your name' }
      : { short: known, sentence: `your name is ${known}` },
    { short: pick(random, NAMES), sentence: `your name is ${pick(random, NAMES)}` },
    known === null ? ['do not know', 'did not tell'] : [known],
  );
}

function talk(text: string, right: Content, wrong: Content, fits: readonly string[]): Question {
  return { topic: 'talk', language: 'en', text, followUp: null, right, wrong, expects: words(fits) };
}

function offTopic(random: Random): Content {
  return toContent(pick(random, OFF_TOPIC));
}

function toContent([short, sentence]: readonly [string, string]): Content {
  return { short, sentence };
}
