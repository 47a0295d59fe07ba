import type { UnsupportedParameter } from '../../../shared/domain/chat-call';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ResponseInputItem, ResponseOutputItem } from '../../../shared/wire/openai-responses';
import { AssistantTurn } from './assistant-turn';
import { openReasoning } from './sealed-reasoning';

/** Whom a message of the input may be from. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

/** Finds an output item of this session's earlier responses; null when there is none with this id. */
export type ItemFinder = (itemId: string) => ResponseOutputItem | null;

/**
 * Input items as chat messages.
 *
 * Neighbouring items of one assistant turn (reasoning, text, calls) become one message, as they were sampled; several
 * text parts of a user's message are joined by line breaks.
 */
export function toMessages(
  input: string | readonly ResponseInputItem[],
  findItem: ItemFinder,
): Result<ChatMessage[], UnsupportedParameter> {
  if (typeof input === 'string') return ok([{ role: 'user', content: input }]);
  const messages: ChatMessage[] = [];
  const turn = new AssistantTurn((message) => messages.push(message));
  for (const [index, item] of input.entries()) {
    const param = `input[${index}]`;
    const problem = isReference(item) ? addReference(item) : addItem(item);
    if (problem !== null) return err({ param, message: `${param}: ${problem}` });
  }
  turn.close();
  return ok(messages);

  function addReference(reference: ResponseInputItem): string | null {
    const item = findItem(String(reference.id));
    if (item === null)
      return `Item with id '${String(reference.id)}' not found: no stored response of this session has it.`;
    return addItem(item);
  }

  function addItem(item: ResponseInputItem | ResponseOutputItem): string | null {
    switch (item.type ?? 'message') {
      case 'message':
        return addMessage(item as ResponseInputItem); // every item is one, read field by field
      case 'function_call': {
        const { call_id: id, name, arguments: text } = item as Readonly<Record<string, unknown>>; // read field by field
        if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string')
          return 'function_call needs call_id, name and arguments, all text.';
        turn.addToolCall({ id, name, arguments: text });
        return null;
      }
      case 'function_call_output':
        return addToolResult(item as ResponseInputItem); // as above
      case 'reasoning':
        turn.addReasoning(reasoningText(item as Readonly<Record<string, unknown>>)); // as above
        return null;
      default:
        return `Items of type ${String(item.type)} are not supported.`;
    }
  }

  function addMessage(item: ResponseInputItem): string | null {
    const { role } = item;
    if (typeof role !== 'string') return 'a message needs a role.';
    // It stands in the prompt as it is: a role of its own wording could end a turn and begin another.
    if (!ROLES.has(role)) return `'${role}' is no role: use user, assistant, system or developer.`;
    const text = textOf(item.content, role === 'assistant' ? '' : '\n');
    if (!text.ok) return text.error;
    if (role === 'assistant') turn.addText(text.value);
    else {
      turn.close();
      messages.push({ role: role === 'developer' ? 'system' : role, content: text.value });
    }
    return null;
  }

  function addToolResult(item: ResponseInputItem): string | null {
    if (typeof item.call_id !== 'string') return 'function_call_output needs call_id.';
    const text = textOf(item.output, '\n');
    if (!text.ok) return text.error;
    turn.close();
    messages.push({ role: 'tool', tool_call_id: item.call_id, content: text.value });
    return null;
  }
}

/** The type of a reference may be left out. */
function isReference(item: ResponseInputItem): boolean {
  if (item.type !== undefined && item.type !== null) return item.type === 'item_reference';
  return typeof item.role !== 'string' && typeof item.id === 'string';
}

function textOf(content: unknown, separator: string): Result<string, string> {
  if (typeof content === 'string') return ok(content);
  if (!Array.isArray(content)) return err('the content must be text or a list of parts.');
  const texts: string[] = [];
  for (const part of content as unknown[]) {
    const text = partText(part);
    if (text === null) return err(`Content of type ${String(fieldOf(part, 'type'))} is not supported: send text.`);
    texts.push(text);
  }
  return ok(texts.join(separator));
}

function partText(part: unknown): string | null {
  const text = fieldOf(part, 'text') ?? fieldOf(part, 'refusal');
  return typeof text === 'string' ? text : null;
}

/** The text itself if it was sent back; else what we sealed for clients that keep nothing else; else the summary. */
function reasoningText(item: Readonly<Record<string, unknown>>): string {
  const joined = (parts: unknown): string =>
    Array.isArray(parts) ? parts.map((part) => partText(part) ?? '').join('') : '';
  const sealed = typeof item.encrypted_content === 'string' ? openReasoning(item.encrypted_content) : null;
  return joined(item.content) || (sealed ?? joined(item.summary));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}
