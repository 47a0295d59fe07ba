import {
  type Auxiliary,
  COLOUR_NAMES,
  COLOURS,
  DAYS,
  OPPOSITES,
  SOUNDS,
  TASTES,
  YES_NO_FACTS,
  type YesNoFact,
} from './facts';
import { type Content, capitalise, type Topic, words } from './question';
import { pick } from './random';

export const colour: Topic = (random) => {
  const thing = pick(random, Object.keys(COLOURS));
  const name = COLOURS[thing]!;
  const bare = thing.replace(/^(a|an|the) /, '');
  const colourWord = pick(random, ['color', 'colour']);
  const answer = (c: string): Content => ({
    short: c,
    sentence: pick(random, [`${thing} is ${c}`, `${thing} is ${c}`, `it is ${c}`, `the ${colourWord} is ${c}`]),
  });
  return {
    topic: 'colour',
    language: 'en',
    text: pick(random, [
      `What ${colourWord} is ${thing}?`,
      `What ${colourWord} is ${thing}?`,
      `What ${colourWord} is ${bare}?`,
      `What is the ${colourWord} of ${thing}?`,
      `Which ${colourWord} is ${thing}?`,
      `Which ${colourWord} does ${thing} have?`,
      `${capitalise(colourWord)} of ${bare}?`,
      `Tell me the ${colourWord} of ${thing}.`,
      `Do you know what ${colourWord} ${thing} is?`,
    ]),
    followUp: pick(random, [`And ${thing}?`, `What about ${thing}?`]),
    right: answer(name),
    wrong: answer(pick(random, others(COLOUR_NAMES, name))),
    expects: words([name], others(COLOUR_NAMES, name)),
  };
};

export const isColour: Topic = (random) => {
  const thing = pick(random, Object.keys(COLOURS));
  const name = COLOURS[thing]!;
  const isSo = random() < 0.5;
  const asked = isSo ? name : pick(random, others(COLOUR_NAMES, name));
  return yesNo(random, ['is', thing, asked, isSo]);
};

export const yesNoFact: Topic = (random) => yesNo(random, pick(random, YES_NO_FACTS));

function yesNo(random: () => number, [auxiliary, subject, rest, isSo]: YesNoFact): ReturnType<Topic> {
  const content = (saysYes: boolean): Content => ({
    short: saysYes ? 'yes' : 'no',
    sentence: `${saysYes ? 'yes' : 'no'}, ${statement(auxiliary, subject, rest, saysYes)}`,
  });
  const asked = `${auxiliary} ${subject} ${rest}`;
  return {
    topic: 'fact',
    language: 'en',
    text: pick(random, [
      ...Array(5).fill(`${capitalise(asked)}?`),
      `Tell me, ${asked}?`,
      `Is it true that ${statement(auxiliary, subject, rest, true)}?`,
      `Quick question: ${asked}?`,
      `Hey, ${asked}?`,
    ]),
    followUp: `And ${asked}?`,
    right: content(isSo),
    wrong: content(!isSo),
    expects: isSo ? words(['yes'], ['no']) : words(['no'], ['yes']),
  };
}

function statement(auxiliary: Auxiliary, subject: string, rest: string, isSo: boolean): string {
  if (auxiliary === 'do') return isSo ? `${subject} ${rest}` : `${subject} do not ${rest}`;
  if (auxiliary === 'can') return `${subject} ${isSo ? 'can' : 'cannot'} ${rest}`;
  return `${subject} ${auxiliary}${isSo ? '' : ' not'} ${rest}`;
}

export const opposite: Topic = (random) => {
  const pair = pick(random, OPPOSITES);
  const [asked, name] = random() < 0.5 ? pair : [pair[1], pair[0]];
  const everything = OPPOSITES.flat();
  const answer = (w: string): Content => ({
    short: w,
    sentence: pick(random, [`the opposite of ${asked} is ${w}`, `it is ${w}`]),
  });
  return {
    topic: 'opposite',
    language: 'en',
    text: pick(random, [
      `What is the opposite of ${asked}?`,
      `What is the opposite of ${asked}?`,
      `The opposite of ${asked}?`,
      `Opposite of ${asked}?`,
      `Tell me the opposite of ${asked}.`,
      `Which word is the opposite of ${asked}?`,
    ]),
    followUp: `And of ${asked}?`,
    right: answer(name),
    wrong: answer(
      pick(
        random,
        everything.filter((w) => w !== name && w !== asked),
      ),
    ),
    expects: words([name]),
  };
};

export const sound: Topic = (random) => {
  const animal = pick(random, Object.keys(SOUNDS));
  const says = SOUNDS[animal]!;
  const article = /^[aeiou]/.test(animal) ? 'an' : 'a';
  const answer = (s: string): Content => ({
    short: s,
    sentence: pick(random, [`${article} ${animal} says ${s}`, `it says ${s}`]),
  });
  const all = Object.values(SOUNDS);
  return {
    topic: 'sound',
    language: 'en',
    text: pick(random, [
      `What does ${article} ${animal} say?`,
      `What does the ${animal} say?`,
      `What sound does ${article} ${animal} make?`,
      `How does ${article} ${animal} go?`,
      `What is the sound of ${article} ${animal}?`,
    ]),
    followUp: pick(random, [`And ${article} ${animal}?`, `And the ${animal}?`]),
    right: answer(says),
    wrong: answer(pick(random, others(all, says))),
    expects: words([says], others(all, says)),
  };
};

export const day: Topic = (random) => {
  const index = Math.floor(random() * DAYS.length);
  const after = random() < 0.6;
  const name = DAYS[(index + (after ? 1 : 6)) % 7]!;
  const word = after ? 'after' : 'before';
  const answer = (d: string): Content => ({ short: d, sentence: `the day is ${d}` });
  return {
    topic: 'day',
    language: 'en',
    text: pick(random, [`What day comes ${word} ${DAYS[index]}?`, `Which day is ${word} ${DAYS[index]}?`]),
    followUp: `And ${word} ${DAYS[index]}?`,
    right: answer(name),
    wrong: answer(pick(random, others(DAYS, name))),
    expects: words([name], others(DAYS, name)),
  };
};

export const opinion: Topic = (random) => {
  const [thing, likes] = pick(random, TASTES);
  const content = (yes: boolean): Content => ({
    short: yes ? 'yes' : 'no',
    sentence: yes ? `yes, I like ${thing}` : `no, I do not like ${thing}`,
  });
  return {
    topic: 'opinion',
    language: 'en',
    text: pick(random, [`Do you like ${thing}?`, `Do you like ${thing}?`, `Are you fond of ${thing}?`]),
    followUp: pick(random, [`And ${thing}?`, `And do you like ${thing}?`]),
    right: content(likes),
    wrong: content(!likes),
    expects: likes ? words(['yes'], ['no']) : words(['no'], ['yes']),
  };
};

function others<T>(all: readonly T[], one: T): T[] {
  return [...new Set(all)].filter((candidate) => candidate !== one);
}
