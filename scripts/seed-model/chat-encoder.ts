import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import type { Message } from '../../src/embedded/world/conversation';
import { CHAT_TEMPLATE, END_OF_TEXT, IM_END, IM_START } from './model-files';

/** Texts ↔ token ids of the demo model, and chats as they are trained. */
export interface ChatEncoder {
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  /** the prompt that a chat server renders before it samples */
  renderPrompt(messages: readonly Message[]): string;
  /** a whole chat and, for each of its tokens, whether the assistant says it (its end mark included) */
  encodeChat(messages: readonly Message[]): { readonly ids: number[]; readonly spoken: boolean[] };
  readonly endOfText: number;
  readonly endOfTurn: number;
}

export function makeChatEncoder(tokenizerJson: object, tokenizerConfig: object): ChatEncoder {
  const tokenizer = new Tokenizer(tokenizerJson, tokenizerConfig);
  const template = new Template(CHAT_TEMPLATE);
  const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const single = (text: string): number => {
    const ids = encode(text);
    if (ids.length !== 1) throw new Error(`${text} is not one token`);
    return ids[0]!;
  };
  const start = single(IM_START);
  const endOfTurn = single(IM_END);
  const newline = single('\n');
  return {
    encode,
    decode: (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids], { skip_special_tokens: true })),
    renderPrompt: (messages) => template.render({ messages, add_generation_prompt: true }),
    encodeChat: (messages) => {
      const ids: number[] = [];
      const spoken: boolean[] = [];
      for (const { role, content } of messages) {
        const isAssistant = role === 'assistant';
        const head = [start, ...encode(`${role}\n`)];
        const body = [...encode(content), endOfTurn];
        ids.push(...head, ...body, newline);
        spoken.push(...head.map(() => false), ...body.map(() => isAssistant), false);
      }
      return { ids, spoken };
    },
    endOfText: single(END_OF_TEXT),
    endOfTurn,
  };
}
