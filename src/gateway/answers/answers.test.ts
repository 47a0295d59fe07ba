import { describe, expect, it } from 'vitest';
import type { AnswerDelta, AnswerMessage } from '../../shared/domain/answer';
import type { AnswerParser } from './answer-format';
import { AnswerMessageBuilder } from './answer-message-builder';
import { selectAnswerFormat } from './select-format';
import { TOOLS, WRITTEN_ANSWERS, type WrittenAnswer } from './testing/written-answers';

const THINKING_TEMPLATE = '<think></think>';

function parserOf(answer: WrittenAnswer): AnswerParser {
  let ids = 0;
  return selectAnswerFormat(answer.format, THINKING_TEMPLATE).createParser({
    tools: answer.tools ?? TOOLS,
    startsInReasoning: answer.startsInReasoning ?? false,
    forcedOpening: answer.forcedOpening ?? '',
    newToolCallId: () => {
      ids += 1;
      return `call_${ids}`;
    },
  });
}

function assemble(deltas: readonly AnswerDelta[]): AnswerMessage {
  const assembler = new AnswerMessageBuilder();
  assembler.add(deltas);
  return assembler.message();
}

function parse(answer: WrittenAnswer, pieces: readonly string[]): AnswerMessage {
  const parser = parserOf(answer);
  return assemble([...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish()]);
}

function expected(answer: WrittenAnswer): AnswerMessage {
  return {
    content: answer.content,
    reasoning: answer.reasoning ?? null,
    toolCalls: (answer.calls ?? []).map(([name, args], at) => ({ id: `call_${at + 1}`, name, arguments: args })),
  };
}

describe.each(['qwen', 'hermes', 'qwen-coder', 'llama', 'deepseek', 'plain'])('an answer of %s', (format) => {
  const answers = WRITTEN_ANSWERS.filter((answer) => answer.format === format);

  it.each(answers)('is taken apart: $title', (answer) => {
    expect(parse(answer, [answer.text])).toEqual(expected(answer));
  });

  it.each(answers)('is the same cut anywhere: $title', (answer) => {
    for (let cut = 0; cut <= answer.text.length; cut += 1) {
      const pieces = [answer.text.slice(0, cut), answer.text.slice(cut)];
      expect(parse(answer, pieces), JSON.stringify(pieces)).toEqual(expected(answer));
    }
    expect(parse(answer, answer.text.split(''))).toEqual(expected(answer));
  });

  it.each(answers)('has arguments that are JSON: $title', (answer) => {
    for (const call of parse(answer, [answer.text]).toolCalls) expect(JSON.parse(call.arguments)).toBeTypeOf('object');
  });
});
