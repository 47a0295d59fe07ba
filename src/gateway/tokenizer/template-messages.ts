import type { ChatMessage } from '../../shared/domain/interaction';

/**
 * Messages in the form chat templates expect: text instead of text parts, tool arguments as objects.
 *
 * The stored messages stay as the client sent them; only the rendering sees these.
 */
export function toTemplateMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => {
    const { content, tool_calls: toolCalls } = message;
    return {
      ...message,
      ...(Array.isArray(content) ? { content: content.map(textOfPart).join('') } : {}),
      ...(content === undefined || content === null ? { content: '' } : {}),
      ...(Array.isArray(toolCalls) ? { tool_calls: toolCalls.map(withParsedArguments) } : {}),
    };
  });
}

/** The first content part that is not text, by its type; null when all are. Templates drop such parts silently. */
export function findUnsupportedPart(messages: readonly ChatMessage[]): string | null {
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content) if (textOfPart(part) === null) return String(field(part, 'type'));
  }
  return null;
}

function textOfPart(part: unknown): string | null {
  const text = field(part, 'text');
  return typeof text === 'string' ? text : null;
}

function withParsedArguments(call: unknown): unknown {
  const target = field(call, 'function');
  const text = field(target, 'arguments');
  if (typeof text !== 'string') return call;
  try {
    return { ...(call as object), function: { ...(target as object), arguments: JSON.parse(text) as unknown } }; // both had fields
  } catch {
    return call; // not JSON: the template gets the text as it was sent
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}
