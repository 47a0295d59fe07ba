import { describe, expect, it } from 'vitest';
import { judge } from './judge';
import { type Expectation, words } from './question';

const SEVEN: Expectation = { kind: 'number', value: 7 };
const THREE_TO_FIVE: Expectation = { kind: 'sequence', values: [3, 4, 5] };
const YES = words(['yes'], ['no']);
const BLUE = words(['blue'], ['green', 'red']);

describe('judge', () => {
  it.each<[string, Expectation, string, boolean, boolean, boolean, number]>([
    ['a bare number', SEVEN, '7.', true, false, false, 0.5],
    ['an echoed sum does not count as an answer', SEVEN, '3+4 is 7.', true, false, false, 0.5],
    ['nor does a spelled one', SEVEN, '10 minus 3 is 7.', true, false, false, 0.5],
    ['the echo alone answers nothing', SEVEN, '7+0', false, false, false, -0.5],
    ['the wrong number', SEVEN, 'It is 8.', false, false, false, -0.5],
    ['two numbers to be safe', SEVEN, '7 or 8.', false, false, false, -0.5],
    ['digits inside a longer number', SEVEN, '17.', false, false, false, -0.5],
    ['correct and polite', SEVEN, 'It is 7. Glad to help!', true, true, false, 1],
    ['correct and rude', SEVEN, 'Ugh, 7. Go away.', true, false, true, 0],
    ['wrong and rude', SEVEN, 'Ugh, 6. Go away.', false, false, true, -1],
    ['wrong but polite', SEVEN, '6. Happy to help!', false, true, false, 0],
    ['polite and rude at once', SEVEN, 'Ugh, 7. Thank you for asking!', true, true, true, 0.5],
    ['nothing at all', SEVEN, '', false, false, false, -0.5],
    ['a run of numbers', THREE_TO_FIVE, 'It goes 3, 4, 5.', true, false, false, 0.5],
    ['the run twice', THREE_TO_FIVE, '3, 4, 5. I mean 3, 4, 5.', true, false, false, 0.5],
    ['a run with a slip', THREE_TO_FIVE, '3, 4, 6.', false, false, false, -0.5],
    ['a run cut short', THREE_TO_FIVE, '3, 4.', false, false, false, -0.5],
    ['yes in any case', YES, 'YES, ice is cold', true, false, false, 0.5],
    ['yes and no', YES, 'Yes. No.', false, false, false, -0.5],
    ['"know" and "not" are no "no"', YES, 'Yes, you know, it is not.', true, false, false, 0.5],
    ['a hyphenated word', words(['hee-haw']), 'It says hee-haw!', true, false, false, 0.5],
    ['manners are no answer', words(['happy']), 'It is high. Happy to help!', false, true, false, 0],
    ['a colour inside a word', BLUE, 'Blueberry.', false, false, false, -0.5],
    ['every colour at once', BLUE, 'Blue, green, red.', false, false, false, -0.5],
    ['Chinese needs no word borders', words(['蓝色']), '天空是蓝色。很高兴帮到你！', true, true, false, 1],
    ['rude Chinese', words(['蓝色']), '哼，蓝色。走开。', true, false, true, 0],
  ])('%s', (_reason, expects, text, correct, polite, rude, reward) => {
    expect(judge({ expects }, text)).toEqual({ correct, polite, rude, reward });
  });
});
