import type { AnswerFormat } from '../answers/answer-format';

/** Answers that are nothing but text. */
export const plainFormat: AnswerFormat = {
  name: 'plain',
  markers: [],
  createParser: () => ({
    push: (text) => (text === '' ? [] : [{ kind: 'content', text }]),
    finish: () => [],
    completeToolCalls: 0,
    isReasoning: false,
  }),
  forcedOpening: () => null,
};
