import type { ChatMessage } from '../../../shared/domain/interaction';

/** What is wrong with a list of messages, in words; `param` names the place. */
export interface MessageProblem {
  readonly param: string;
  readonly message: string;
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** The first thing in the messages that OpenAI would refuse too; null when all are well formed. */
export function findMessageProblem(messages: readonly ChatMessage[]): MessageProblem | null {
  for (const [index, message] of messages.entries()) {
    const problem = findProblem(message, `messages[${index}]`);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Messages as they are stored and rendered: `developer`, OpenAI's newer word for it, is `system`; a refusal that comes
 * back is text.
 */
export function toStoredMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => ({
    ...message,
    ...(message.role === 'developer' ? { role: 'system' } : {}),
    ...(Array.isArray(message.content) ? { content: message.content.map(toTextPart) } : {}),
  }));
}

function findProblem(message: ChatMessage, at: string): MessageProblem | null {
  if (!ROLES.has(message.role))
    return {
      param: `${at}.role`,
      message: `${at}.role: '${message.role}' is no role: use system, developer, user, assistant or tool.`,
    };
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  if (message.content === undefined && !(message.role === 'assistant'))
    return { param: `${at}.content`, message: `${at}.content is missing: send a string or a list of text parts.` };
  if (message.role === 'tool' && typeof message.tool_call_id !== 'string')
    return {
      param: `${at}.tool_call_id`,
      message: `${at}.tool_call_id is missing: a tool message names the call that it answers.`,
    };
  return (hasCalls ? findCallProblem(message.tool_calls, at) : null) ?? findPartProblem(message.content, at);
}

function findCallProblem(calls: unknown, at: string): MessageProblem | null {
  if (!Array.isArray(calls)) return null;
  for (const [index, call] of calls.entries()) {
    const param = `${at}.tool_calls[${index}]`;
    if (typeof field(call, 'id') !== 'string') return { param: `${param}.id`, message: `${param}.id is missing.` };
    if (typeof field(field(call, 'function'), 'name') !== 'string')
      return { param: `${param}.function`, message: `${param}.function needs a name and arguments.` };
  }
  return null;
}

function findPartProblem(content: unknown, at: string): MessageProblem | null {
  if (!Array.isArray(content)) return null;
  for (const [index, part] of content.entries()) {
    const param = `${at}.content[${index}]`;
    const type = field(part, 'type');
    if (type === 'text' || type === 'refusal') {
      if (typeof field(part, type) !== 'string')
        return { param: `${param}.${type}`, message: `${param} is a ${type} part without ${type}: give it a string.` };
    } else
      return {
        param,
        message: `${param}: content of type ${String(type)} is not supported: this model reads text only.`,
      };
  }
  return null;
}

function toTextPart(part: unknown): unknown {
  return field(part, 'type') === 'refusal' ? { type: 'text', text: field(part, 'refusal') } : part;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}
