import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerEvent } from '../../../shared/domain/answer';
import {
  type AnswerBlock,
  type MessageBody,
  type MessageEvent,
  messageSchema,
} from '../../../shared/wire/anthropic-messages';
import { anyHead, anyParts, eventsOf } from '../../testing/any-answer';
import { toMessages } from './input-messages';
import { MessageWriter } from './message-writer';

function write(events: readonly AnswerEvent[]): { body: MessageBody; told: MessageEvent[] } {
  const writer = new MessageWriter(anyHead);
  const told = [...writer.begin()];
  for (const event of events) told.push(...(event.kind === 'end' ? writer.finish(event) : writer.add(event)));
  return { body: writer.body, told };
}

/** The blocks as a client puts them together from the stream. */
function assemble(told: readonly MessageEvent[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  const json: string[] = [];
  for (const event of told) {
    const index = event.index as number;
    const delta = event.delta as Record<string, string> | undefined;
    const block = blocks[index];
    if (event.type === 'content_block_start') {
      expect(index).toBe(blocks.length);
      blocks.push(structuredClone(event.content_block as AnswerBlock));
      json.push('');
    } else if (event.type === 'content_block_stop' && block?.type === 'tool_use')
      block.input = JSON.parse(json[index]!);
    else if (event.type !== 'content_block_delta' || delta === undefined || block === undefined) continue;
    else if (block.type === 'text') block.text += delta.text;
    else if (block.type === 'tool_use') json[index] = `${json[index]}${delta.partial_json}`;
    else if (delta.type === 'signature_delta') block.signature = delta.signature!;
    else block.thinking += delta.thinking;
  }
  return blocks;
}

describe('MessageWriter', () => {
  it('tells in its deltas exactly what the whole message says', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const { body, told } = write(eventsOf(parts));
        // The schema only looks: its copy would lack a key named __proto__.
        messageSchema.parse(body);
        expect(assemble(told)).toEqual(body.content);
        expect(told[0]?.type).toBe('message_start');
        expect(told.slice(-2).map((event) => event.type)).toEqual(['message_delta', 'message_stop']);
      }),
    );
  });

  it('closes each block before the next one opens', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const marks = write(eventsOf(parts)).told.filter(({ type }) => /^content_block_(start|stop)$/.test(type));
        expect(marks.map(({ type, index }) => `${type} ${index as number}`)).toEqual(
          marks.map((_, k) => `content_block_${k % 2 === 0 ? 'start' : 'stop'} ${Math.floor(k / 2)}`),
        );
      }),
    );
  });

  it('is read back as the turn that was sampled, its arguments written anew', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const events = eventsOf(parts);
        const end = events.find((event) => event.kind === 'choice-end')!;
        const { content } = write(events).body;
        const user = { role: 'user', content: 'next' };
        const read = toMessages({ messages: [{ role: 'assistant', content }, user] });
        const { message } = end;
        const calls = message.toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(JSON.parse(text)) },
        }));
        expect(read).toEqual({
          ok: true,
          value: [
            {
              role: 'assistant',
              content: message.content,
              ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
              ...(calls.length === 0 ? {} : { tool_calls: calls }),
            },
            user,
          ],
        });
      }),
    );
  });

  it.each([
    ['a full turn', {}, 'end_turn'],
    ['the budget', { finishReason: 'length' }, 'max_tokens'],
    ['an abort', { finishReason: 'abort' }, 'max_tokens'],
    ['a stop sequence', { stopString: 'x' }, 'stop_sequence'],
  ] as const)('gives the stop reason of %s', (_reason, end, expected) => {
    const { body } = write(eventsOf([{ kind: 'content', pieces: ['a'] }], end));
    expect(body).toMatchObject({
      stop_reason: expected,
      usage: { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 7 },
    });
  });

  it('keeps arguments that the budget cut off', () => {
    const { body } = write(eventsOf([{ kind: 'call', pieces: ['{"a": 1'] }], { finishReason: 'length' }));
    expect(body.content).toMatchObject([{ type: 'tool_use', input: { unparsed_arguments: '{"a": 1' } }]);
    expect(body.stop_reason).toBe('max_tokens');
  });
});
