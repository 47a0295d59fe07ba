import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerEvent } from '../../../shared/domain/answer';
import {
  type ResponseEvent,
  type ResponseOutputItem,
  type ResponseRequest,
  responseSchema,
} from '../../../shared/wire/openai-responses';
import { type AnswerPart, anyHead, anyParts, eventsOf } from '../../testing/any-answer';
import { toMessages } from './input-messages';
import { ResponseWriter } from './response-writer';

function write(
  events: readonly AnswerEvent[],
  request: ResponseRequest = {},
): { writer: ResponseWriter; told: ResponseEvent[] } {
  const writer = new ResponseWriter(anyHead, request);
  const told = [...writer.begin()];
  for (const event of events) told.push(...(event.kind === 'end' ? writer.finish(event, 0) : writer.add(event)));
  return { writer, told };
}

/** The items as a client puts them together that believes nothing but `added` and the deltas. */
function assemble(told: readonly ResponseEvent[]): unknown[] {
  const items: { type: string; text: string }[] = [];
  for (const event of told) {
    const index = event.output_index as number;
    if (event.type === 'response.output_item.added') {
      expect(index).toBe(items.length);
      items.push({ type: (event.item as ResponseOutputItem).type, text: '' });
    } else if (event.type.endsWith('.delta')) items[index]!.text += event.delta as string;
  }
  return items;
}

function textOf(item: ResponseOutputItem): unknown {
  switch (item.type) {
    case 'message':
      return { type: item.type, text: item.content.map((part) => part.text).join('') };
    case 'function_call':
      return { type: item.type, text: item.arguments };
    case 'reasoning':
      return { type: item.type, text: [...item.content, ...item.summary].map((part) => part.text).join('') };
  }
}

const requests: fc.Arbitrary<ResponseRequest> = fc.record({
  reasoning: fc.constantFrom(undefined, { summary: 'auto' }),
  include: fc.constantFrom(undefined, ['reasoning.encrypted_content']),
});

describe('ResponseWriter', () => {
  it('tells in its deltas exactly what the whole response says', () => {
    fc.assert(
      fc.property(anyParts, requests, (parts, request) => {
        const { writer, told } = write(eventsOf(parts), request);
        const { output } = responseSchema.parse(writer.body);
        expect(output.map(textOf)).toEqual(assemble(told));
        expect(told.map((event) => event.sequence_number)).toEqual(told.map((_, index) => index));
        expect(told[told.length - 1]).toMatchObject({ type: 'response.completed', response: writer.body });
        expect(new Set(output.map((item) => item.id)).size).toBe(output.length);
      }),
    );
  });

  it('opens each item once, and closes it before the next one opens', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const { told } = write(eventsOf(parts));
        const marks = told.filter(({ type }) => type.startsWith('response.output_item.'));
        expect(marks.map(({ type, output_index: index }) => `${type} ${index as number}`)).toEqual(
          marks.map((_, k) => `response.output_item.${k % 2 === 0 ? 'added' : 'done'} ${Math.floor(k / 2)}`),
        );
      }),
    );
  });

  it('is read back as the one message that was sampled, when thoughts come first', () => {
    const ordered = anyParts.map((parts): AnswerPart[] => {
      const [reasoning, rest] = [
        parts.filter((p) => p.kind === 'reasoning'),
        parts.filter((p) => p.kind !== 'reasoning'),
      ];
      // Text between calls belongs to the turn; two texts in a row are one.
      return [...reasoning, ...rest];
    });
    fc.assert(
      fc.property(ordered, requests, (parts, request) => {
        const events = eventsOf(parts);
        const end = events.find((event) => event.kind === 'choice-end')!;
        fc.pre(end.message.reasoning !== '');
        const { writer } = write(events, request);
        const { content, reasoning, toolCalls } = end.message;
        const calls = toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        }));
        expect(toMessages(writer.body.output, () => null)).toEqual({
          ok: true,
          value: [
            {
              role: 'assistant',
              content,
              ...(reasoning === null ? {} : { reasoning_content: reasoning }),
              ...(calls.length === 0 ? {} : { tool_calls: calls }),
            },
          ],
        });
      }),
    );
  });

  it('always has a message or a call when it is complete, so that no agent asks for ever', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const { writer } = write(eventsOf(parts));
        expect(writer.body.output.some((item) => item.type !== 'reasoning')).toBe(true);
      }),
    );
  });

  it.each(['length', 'abort'] as const)('is incomplete after %s, and so is its last item', (finishReason) => {
    const { writer, told } = write(eventsOf([{ kind: 'content', pieces: ['a'] }], { finishReason }));
    expect(writer.body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, input_tokens_details: { cached_tokens: 4 } },
      plaudit: { version_rle: [[3, 7]] },
    });
    expect(told[told.length - 1]?.type).toBe('response.incomplete');
  });

  it('gives log-probs to the text they came with', () => {
    const token = { token: 'a', bytes: [97], logprob: -0.5, top: [{ token: 'b', bytes: [98], logprob: -1 }] };
    const delta = { kind: 'delta', choice: 0, deltas: [{ kind: 'content', text: 'a' }], versionRuns: [] } as const;
    const [, ...rest] = eventsOf([{ kind: 'content', pieces: ['a'] }]);
    const { writer, told } = write([{ ...delta, logprobs: [token] }, ...rest]);
    const expected = [
      { token: 'a', bytes: [97], logprob: -0.5, top_logprobs: [{ token: 'b', bytes: [98], logprob: -1 }] },
    ];
    expect(writer.body.output).toMatchObject([{ content: [{ text: 'a', logprobs: expected }] }]);
    expect(told.find((event) => event.type === 'response.output_text.delta')).toMatchObject({ logprobs: expected });
  });
});
