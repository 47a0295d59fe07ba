import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import type { ChatMessage } from '../../shared/domain/interaction';
import { err, ok } from '../../shared/lib/result';
import type { ModelFolder } from '../platform/model-files';
import { ModelFolderError } from '../platform/model-files';
import type { ChatTokenizer } from './chat-tokenizer';
import { createIncrementalDecoder } from './incremental-decoder';
import { type ModelSettings, readModelSettings } from './model-settings';
import { toTemplateMessages } from './template-messages';

/**
 * Tokenizer and chat template of a Hugging Face model folder.
 *
 * @throws ModelFolderError when a needed file is missing or damaged
 */
export function loadChatTokenizer(folder: ModelFolder): ChatTokenizer {
  const tokenizerConfig = folder.readJson('tokenizer_config.json') as Record<string, unknown>; // an object in every model
  const tokenizer = new Tokenizer(folder.readJson('tokenizer.json') as object, tokenizerConfig);
  const settings = readModelSettings(folder, tokenizerConfig, (token) => tokenizer.token_to_id(token));
  const template = compileTemplate(folder, settings);
  const encode = (text: string): number[] => [...tokenizer.encode(text, { add_special_tokens: false }).ids];
  const decode = (ids: readonly number[]): string =>
    tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false });
  // Twice the longest token, since a normalizer may drop some characters.
  const mostCharacters = 2 * longestToken(tokenizer);
  const specialNames = new Map(
    [...tokenizer.get_added_tokens_decoder()]
      .filter(([, token]) => token.special)
      .map(([id, token]) => [id, token.content]),
  );

  return {
    modelName: folder.name,
    contextLength: settings.contextLength,
    vocabularySize: settings.vocabularySize,
    stopTokenIds: settings.stopTokenIds,
    encode,
    renderPrompt: (messages, tools, limitTokens) => {
      // Every message takes at least one token; rendering hundreds of thousands would keep everybody else waiting.
      if (messages.length > limitTokens) return err({ kind: 'prompt-too-long', leastTokens: messages.length });
      try {
        const text = template.render(templateValues(messages, tools, settings));
        const leastTokens = Math.ceil(text.length / mostCharacters);
        return leastTokens > limitTokens ? err({ kind: 'prompt-too-long', leastTokens }) : ok(encode(text));
      } catch (error) {
        return err({ kind: 'template-refused', message: error instanceof Error ? error.message : String(error) });
      }
    },
    createDecoder: () => createIncrementalDecoder(decode),
    describeTokens: (ids) => {
      const decoder = createIncrementalDecoder(decode);
      return ids.map((id) => specialNames.get(id) ?? decoder.push([id]));
    },
  };
}

function longestToken(tokenizer: Tokenizer): number {
  let longest = 1;
  for (const token of tokenizer.get_vocab().keys()) longest = Math.max(longest, token.length);
  return longest;
}

function compileTemplate(folder: ModelFolder, settings: ModelSettings): Template {
  if (settings.chatTemplate === null)
    throw new ModelFolderError(
      `${folder.path} has no chat template. Choose a chat model: one with chat_template in tokenizer_config.json or a chat_template.jinja file.`,
    );
  return new Template(settings.chatTemplate);
}

function templateValues(
  messages: readonly ChatMessage[],
  tools: readonly unknown[] | null,
  settings: ModelSettings,
): Record<string, unknown> {
  return {
    ...settings.specialTokens,
    messages: toTemplateMessages(messages),
    add_generation_prompt: true,
    ...(tools === null || tools.length === 0 ? {} : { tools }),
  };
}
