import type { AnswerMessage, ToolCall } from '../../shared/domain/answer';
import type { ChatMessage } from '../../shared/domain/interaction';

/** An answer in chat-completions form, as the client will send it back. */
export function toChatMessage({ content, reasoning, toolCalls }: AnswerMessage): ChatMessage {
  return {
    role: 'assistant',
    content,
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toWireToolCall) }),
  };
}

/** The same answer, read back from its chat-completions form. */
export function toAnswerMessage(message: ChatMessage): AnswerMessage {
  const calls = (message.tool_calls ?? []) as readonly ReturnType<typeof toWireToolCall>[]; // written by toChatMessage only
  return {
    content: typeof message.content === 'string' ? message.content : '',
    reasoning: typeof message.reasoning_content === 'string' ? message.reasoning_content : null,
    toolCalls: calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text })),
  };
}

function toWireToolCall({ id, name, arguments: text }: ToolCall): {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
} {
  return { id, type: 'function', function: { name, arguments: text } };
}
