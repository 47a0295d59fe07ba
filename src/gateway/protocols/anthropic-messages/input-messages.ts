import type { UnsupportedParameter } from '../../../shared/domain/chat-call';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ContentBlock, CountTokensRequest } from '../../../shared/wire/anthropic-messages';

/**
 * Anthropic's system text and messages as chat messages.
 *
 * Several text blocks of the user are joined by line breaks, as AReaL does; those of the assistant without, since they
 * were sampled as one text. Tool results become messages of their own, in their place among the text.
 */
export function toMessages(
  request: Pick<CountTokensRequest, 'system' | 'messages'>,
): Result<ChatMessage[], UnsupportedParameter> {
  const result: ChatMessage[] = [];
  const system = toText(request.system ?? '', 'system', '\n');
  if (!system.ok) return system;
  if (system.value !== '') result.push({ role: 'system', content: system.value });
  for (const [index, { role, content }] of request.messages.entries()) {
    const param = `messages.${index}.content`;
    const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const translated = TRANSLATORS.get(role)?.(blocks, param);
    if (translated === undefined)
      return err({
        param: `messages.${index}.role`,
        message: `messages.${index}.role: '${role}' is not user or assistant.`,
      });
    if (!translated.ok) return translated;
    result.push(...translated.value);
  }
  if (result[result.length - 1]?.role === 'assistant')
    return err({
      param: 'messages',
      message: "Prefilling assistant messages is not supported: the last message must be the user's.",
    });
  return ok(result);
}

type Translator = (blocks: readonly ContentBlock[], param: string) => Result<ChatMessage[], UnsupportedParameter>;

const TRANSLATORS: ReadonlyMap<string, Translator> = new Map([
  ['user', userMessages],
  ['assistant', assistantMessages],
  ['system', systemMessages],
]);

function systemMessages(blocks: readonly ContentBlock[], param: string): Result<ChatMessage[], UnsupportedParameter> {
  const text = toText(blocks, param, '\n');
  return text.ok ? ok([{ role: 'system', content: text.value }]) : text;
}

function userMessages(blocks: readonly ContentBlock[], param: string): Result<ChatMessage[], UnsupportedParameter> {
  const messages: ChatMessage[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) messages.push({ role: 'user', content: texts.join('\n') });
    texts = [];
  };
  for (const [index, block] of blocks.entries()) {
    const place = `${param}.${index}`;
    if (block.type === 'tool_result') {
      flush();
      const message = toolMessage(block, place);
      if (!message.ok) return message;
      messages.push(message.value);
    } else if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text);
    else return unsupported(block, place);
  }
  flush();
  return ok(messages);
}

function toolMessage(block: ContentBlock, place: string): Result<ChatMessage, UnsupportedParameter> {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== 'string')
    return err({
      param: `${place}.tool_use_id`,
      message: `${place}.tool_use_id: a tool_result names the call it answers.`,
    });
  const blocks = typeof content === 'string' || Array.isArray(content) ? content : '';
  const text = toText(blocks as string | ContentBlock[], `${place}.content`, '\n'); // toText looks at every block itself
  if (!text.ok) return text;
  // The chat form has no flag for a failed call, and the model has to know.
  const isMarked = isError === true && !/^\s*error/i.test(text.value);
  return ok({ role: 'tool', tool_call_id: id, content: isMarked ? `Error: ${text.value}` : text.value });
}

function assistantMessages(
  blocks: readonly ContentBlock[],
  param: string,
): Result<ChatMessage[], UnsupportedParameter> {
  let content = '';
  let reasoning: string | null = null;
  const calls: object[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text' && typeof block.text === 'string') content += block.text;
    else if (block.type === 'thinking' && typeof block.thinking === 'string')
      reasoning = (reasoning ?? '') + block.thinking;
    else if (block.type === 'tool_use') {
      const { id, name, input } = block;
      if (typeof id !== 'string' || typeof name !== 'string')
        return err({ param: `${param}.${index}`, message: `${param}.${index}: tool_use needs an id and a name.` });
      calls.push({ id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } });
      // Somebody else's hidden thoughts cannot be shown to this model; the rest of the turn can.
    } else if (block.type !== 'redacted_thinking') return unsupported(block, `${param}.${index}`);
  }
  return ok([
    {
      role: 'assistant',
      content,
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]);
}

function toText(
  content: string | readonly ContentBlock[],
  param: string,
  separator: string,
): Result<string, UnsupportedParameter> {
  if (typeof content === 'string') return ok(content);
  const texts: string[] = [];
  for (const [index, block] of content.entries()) {
    if (block?.type !== 'text' || typeof block.text !== 'string') return unsupported(block, `${param}.${index}`);
    texts.push(block.text);
  }
  return ok(texts.join(separator));
}

function unsupported(block: ContentBlock | undefined, param: string): Result<never, UnsupportedParameter> {
  return err({ param, message: `${param}: Content of type ${String(block?.type)} is not supported here: send text.` });
}
