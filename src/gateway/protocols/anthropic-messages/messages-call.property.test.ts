import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesRequestSchema } from '../../../shared/wire/anthropic-messages';
import { toMessagesCall } from './messages-call';

/** Fields as a careless or hostile client may fill them. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant('text'),
  fc.constant([{ type: 'text', text: 'a' }]),
);
const blocks = fc.array(
  fc.record(
    {
      type: fc.constantFrom('text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image'),
      text: anything,
      thinking: anything,
      id: anything,
      name: anything,
      input: anything,
      tool_use_id: anything,
      content: anything,
      is_error: anything,
    },
    { requiredKeys: ['type'] },
  ),
);
const messages = fc.array(
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'system', 'tool', '__proto__', 'constructor'),
    content: fc.oneof(fc.string(), blocks),
  }),
);

describe('toMessagesCall', () => {
  it('translates or refuses whatever passes the schema, and never throws', () => {
    fc.assert(
      fc.property(messages, anything, anything, (list, system, choice) => {
        const user = { role: 'user', content: 'last' };
        const body = { model: 'm', max_tokens: 1, messages: [...list, user], system, tool_choice: choice };
        const request = messagesRequestSchema.safeParse(body);
        if (!request.success) return;
        const translated = toMessagesCall(request.data);
        if (translated.ok)
          for (const { role, content } of translated.value.messages) {
            expect(['system', 'user', 'assistant', 'tool']).toContain(role);
            expect(typeof content).toBe('string');
          }
        else expect(translated.error.message).not.toBe('');
      }),
    );
  });
});
