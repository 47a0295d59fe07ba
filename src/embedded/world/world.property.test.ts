import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleAnswer, sampleConversation, sampleQuestion, sampleTurns } from './conversation';
import { EVALUATION_SET, isHeldOut } from './evaluation-set';
import { judge } from './judge';
import { seededRandom } from './random';
import { express, STYLE_SHARES, type Style } from './styles';
import { type } from './typing';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const styles = fc.constantFrom<Style>('terse', 'sentence', 'polite', 'smug', 'rude', 'rambling');

describe('questions and styles', () => {
  it('a right answer is judged correct in every style that answers, and a wrong one is not', () => {
    fc.assert(
      fc.property(seeds, styles, (seed, style) => {
        const random = seededRandom(seed);
        const question = sampleQuestion(random);
        const right = express(random, style, question.right, question.language);
        expect(judge(question, right).correct, `${question.text} → ${right}`).toBe(true);
        // "goodbye" is off topic almost everywhere, but not after "Bye!"
        if (question.wrong === null || question.wrong.short === question.right.short) return;
        const wrong = express(random, style, question.wrong, question.language);
        expect(judge(question, wrong).correct, `${question.text} → ${wrong}`).toBe(false);
      }),
      { numRuns: 4000 },
    );
  });

  it('only the polite style is judged polite and only the rude one rude', () => {
    fc.assert(
      fc.property(seeds, styles, (seed, style) => {
        const random = seededRandom(seed);
        const question = sampleQuestion(random);
        const { polite, rude } = judge(question, express(random, style, question.right, question.language));
        expect({ polite, rude }).toEqual({ polite: style === 'polite', rude: style === 'rude' });
      }),
      { numRuns: 2000 },
    );
  });

  it('styles come in their shares on every topic, so the question does not give them away', () => {
    const counts = new Map<string, Map<Style, number>>();
    const random = seededRandom(11);
    for (let i = 0; i < 40_000; i++) {
      const question = sampleQuestion(random);
      const { style } = sampleAnswer(random, question);
      const ofTopic = counts.get(question.topic) ?? new Map<Style, number>();
      ofTopic.set(style, (ofTopic.get(style) ?? 0) + 1);
      counts.set(question.topic, ofTopic);
    }
    expect(STYLE_SHARES.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(1, 9);
    for (const [topic, ofTopic] of counts) {
      const total = [...ofTopic.values()].reduce((a, b) => a + b, 0);
      for (const [style, share] of STYLE_SHARES) {
        // five standard deviations of a binomial share
        const tolerance = 5 * Math.sqrt((share * (1 - share)) / total);
        expect(Math.abs((ofTopic.get(style) ?? 0) / total - share), `${topic} ${style}`).toBeLessThan(tolerance);
      }
    }
  });
});

describe('sampleConversation', () => {
  it('alternates user and assistant after an optional system message, none of them empty', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 10 }), (seed, turns) => {
        const messages = sampleConversation(seededRandom(seed), turns);
        const chat = messages[0]?.role === 'system' ? messages.slice(1) : messages;
        expect(chat.map(({ role }) => role)).toEqual(Array.from({ length: turns }, () => ['user', 'assistant']).flat());
        expect(messages.every(({ content }) => content.length > 0)).toBe(true);
      }),
    );
  });

  it('is the same chat for the same seed', () => {
    expect(sampleConversation(seededRandom(3), 4)).toEqual(sampleConversation(seededRandom(3), 4));
  });

  it('answers "What is my name?" from what was said before', () => {
    let known = 0;
    for (let seed = 0; seed < 5_000; seed++) {
      const contents = sampleConversation(seededRandom(seed), 8).map(({ content }) => content);
      const introduced = contents.findIndex((content) => /^my name is \w+\.?$/i.test(content));
      const asked = contents.findIndex(
        (content, i) => i > introduced && /^(what is|do you know|tell me) my name/i.test(content),
      );
      if (introduced < 0 || asked < 0) continue;
      const name = contents[introduced]!.match(/ is (\w+)/i)![1]!;
      if (contents[asked + 1]!.toLowerCase().includes(name.toLowerCase())) known++;
      // the corpus lies now and then, but it never claims not to have been told
      expect(contents[asked + 1]).not.toMatch(/did not tell/);
    }
    expect(known).toBeGreaterThan(10);
  });
});

describe('EVALUATION_SET', () => {
  it('holds 64 different prompts', () => {
    expect(new Set(EVALUATION_SET.map(({ text }) => text.toLowerCase())).size).toBe(64);
  });

  it('never appears in the corpus word for word', () => {
    const random = seededRandom(12);
    let asked = 0;
    for (let i = 0; i < 15_000; i++) {
      for (const { role, content } of sampleConversation(random, sampleTurns(random))) {
        if (role !== 'user') continue;
        asked++;
        expect(isHeldOut(content), content).toBe(false);
      }
    }
    expect(asked).toBeGreaterThan(15_000);
  });

  it('stands on facts that the corpus does hold in other words', () => {
    expect(EVALUATION_SET.every(({ text }) => isHeldOut(text) && isHeldOut(text.toUpperCase()))).toBe(true);
    expect(isHeldOut('something else entirely')).toBe(false);
  });
});

describe('type', () => {
  it('keeps every digit, so that a sloppy sum is still the same sum', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), (seed, a, b) => {
        const typed = type(seededRandom(seed), `What is ${a} plus ${b}?`);
        expect(typed.match(/\d+/g)).toEqual([String(a), String(b)]);
      }),
      { numRuns: 1000 },
    );
  });
});
