import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { responseRequestSchema } from '../../../shared/wire/openai-responses';
import { toResponsesCall } from './responses-call';

/** Fields as a careless or hostile client may fill them. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant('text'),
  fc.constant([{ type: 'input_text', text: 'a' }]),
);
const items = fc.array(
  fc.record(
    {
      type: fc.constantFrom(
        'message',
        'function_call',
        'function_call_output',
        'reasoning',
        'item_reference',
        null,
        'other',
      ),
      role: fc.constantFrom('user', 'assistant', 'system', 'developer', null, '__proto__'),
      id: anything,
      call_id: anything,
      name: anything,
      arguments: anything,
      output: anything,
      content: anything,
      summary: anything,
      encrypted_content: anything,
    },
    { requiredKeys: [] },
  ),
);
const tools = fc.array(
  fc.record({ type: fc.constantFrom('function', 'custom'), name: anything, parameters: anything }),
);

describe('toResponsesCall', () => {
  it('translates or refuses whatever passes the schema, and never throws', () => {
    fc.assert(
      fc.property(items, fc.option(tools), anything, (input, offered, choice) => {
        const request = responseRequestSchema.safeParse({ input, tools: offered, tool_choice: choice });
        if (!request.success) return;
        const translated = toResponsesCall(request.data, { history: [], findItem: () => null });
        if (translated.ok) {
          for (const { role, content } of translated.value.call.messages) {
            expect(typeof content).toBe('string');
            expect(role).not.toBe('developer');
          }
        } else expect(translated.error.message).not.toBe('');
      }),
    );
  });
});
