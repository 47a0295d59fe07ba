import fc from 'fast-check';
import type { AnswerDelta, AnswerEvent, AnswerHead, AnswerMessage, ChoiceEnd } from '../../shared/domain/answer';
import { interactionId } from '../../shared/domain/ids';

/** One run of text of an answer, or one call, cut into pieces as it arrived. */
export type AnswerPart =
  | { readonly kind: 'content' | 'reasoning'; readonly pieces: readonly string[] }
  | { readonly kind: 'call'; readonly pieces: readonly string[] };

export const anyHead: AnswerHead = {
  id: interactionId(`chatcmpl-${'0123456789abcdef'.repeat(2).slice(0, 29)}`),
  sessionId: 'task-0',
  createdAt: 1_700_000_000_000,
  model: 'tiny',
  promptTokens: 11,
  cachedTokens: 4,
};

const pieces = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 });

/** Answers as parsers tell them: parts in any order, each in any pieces. */
export const anyParts: fc.Arbitrary<AnswerPart[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('content' as const, 'reasoning' as const), pieces }),
    fc
      .record({ values: fc.dictionary(fc.string(), fc.jsonValue()), at: fc.nat(9) })
      .map(({ values, at }): AnswerPart => {
        const text = JSON.stringify(values);
        return { kind: 'call', pieces: [text.slice(0, at), text.slice(at)] };
      }),
  ),
  { maxLength: 6 },
);

/** The events of such an answer: one delta per piece, then its end. */
export function eventsOf(parts: readonly AnswerPart[], end: Partial<ChoiceEnd> = {}): AnswerEvent[] {
  let calls = 0;
  const deltas: AnswerDelta[] = [];
  const message = {
    content: '',
    reasoning: null as string | null,
    toolCalls: [] as AnswerMessage['toolCalls'][number][],
  };
  for (const { kind, pieces: texts } of parts) {
    const whole = texts.join('');
    if (kind === 'call') {
      const index = calls++;
      const id = `call_${index}`;
      deltas.push({ kind: 'tool-call', index, id, name: 'f' });
      deltas.push(...texts.map((text) => ({ kind: 'tool-arguments', index, text }) as const));
      message.toolCalls.push({ id, name: 'f', arguments: whole });
    } else {
      deltas.push(...texts.map((text) => ({ kind, text })));
      if (kind === 'content') message.content += whole;
      else message.reasoning = (message.reasoning ?? '') + whole;
    }
  }
  return [
    ...deltas.map(
      (delta): AnswerEvent => ({ kind: 'delta', choice: 0, deltas: [delta], logprobs: [], versionRuns: [] }),
    ),
    {
      kind: 'choice-end',
      choice: 0,
      interactionId: anyHead.id,
      message,
      finishReason: 'stop',
      stopString: null,
      completionTokens: 7,
      reasoningTokens: 2,
      versionRuns: [[3, 7]],
      ...end,
    },
    { kind: 'end', promptTokens: 11, cachedTokens: 4, completionTokens: 7, reasoningTokens: 2 },
  ];
}
