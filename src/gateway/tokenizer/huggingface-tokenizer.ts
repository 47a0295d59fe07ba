import { Tokenizer } from '@huggingface/tokenizers';
import { err, ok } from '../../shared/lib/result';
import type { ModelFolder } from '../platform/model-files';
import { AddedTokens } from './added-tokens';
import { createByteLevelDecoder } from './byte-level-decoder';
import type { ChatTokenizer, IncrementalDecoder } from './chat-tokenizer';
import { createIncrementalDecoder } from './incremental-decoder';
import { readModelSettings } from './model-settings';
import { encodeGuarded, GUARD, PlainSpecials } from './plain-specials';
import { PrefixEncoder } from './prefix-encoder';
import { compileTemplate } from './prompt-template';
import { readTokenPieces } from './token-pieces';

/**
 * Tokenizer and chat template of a Hugging Face model folder.
 *
 * @throws ModelFolderError when a needed file is missing or damaged
 */
export function loadChatTokenizer(folder: ModelFolder): ChatTokenizer {
  const tokenizerConfig = folder.readJson('tokenizer_config.json') as Record<string, unknown>; // an object in every model
  const tokenizerJson = folder.readJson('tokenizer.json') as { readonly normalizer?: unknown }; // an object in every model
  const tokenizer = new Tokenizer(tokenizerJson, tokenizerConfig);
  const settings = readModelSettings(folder, tokenizerConfig, (token) => tokenizer.token_to_id(token));
  const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const short = rememberShort(encode);
  const added = [...tokenizer.get_added_tokens_decoder().values()];
  const specials = added.filter((token) => token.special);
  const specialNames = new Map(specials.map((token) => [token.id, token.content]));
  const createDecoder = decodersOf(tokenizer, specialNames);
  // Twice the longest token, since a normalizer may drop some characters.
  const mostCharacters = 2 * longestToken(tokenizer);
  const plainSpecials = new PlainSpecials(cutsCleanly(tokenizer) ? specials.map((token) => token.content) : []);
  const template = compileTemplate(folder.path, settings, (messages) => plainSpecials.guard(messages));
  const isNormalizing = (tokenizerJson.normalizer ?? null) !== null;
  const prompts = new PrefixEncoder((piece) => encodeGuarded(piece, short), new AddedTokens(added, isNormalizing));

  return {
    modelName: folder.name,
    contextLength: settings.contextLength,
    vocabularySize: settings.vocabularySize,
    stopTokenIds: settings.stopTokenIds,
    chatTemplate: template.source,
    encode: (text) => [...encode(text)],
    renderPrompt: (messages, options) => {
      const { limitTokens, conversation } = options;
      // Every message takes at least one token; rendering hundreds of thousands would keep everybody else waiting.
      if (messages.length > limitTokens) return err({ kind: 'prompt-too-long', leastTokens: messages.length });
      const rendered = template.render(messages, options);
      if (!rendered.ok) return rendered;
      const text = rendered.value;
      const leastTokens = Math.ceil(text.length / mostCharacters);
      if (leastTokens > limitTokens) return err({ kind: 'prompt-too-long', leastTokens });
      return ok({ ...prompts.encodeText(text, conversation), text: text.replaceAll(GUARD, '') });
    },
    forgetConversation: (conversation) => {
      template.forget(conversation);
      prompts.forget(conversation);
    },
    createDecoder,
    describeTokens: (ids) => {
      const decoder = createDecoder();
      return ids.map((id) => specialNames.get(id) ?? decoder.push([id]));
    },
  };
}

/** Headers of turns, system prompts, blanks: what every prompt of a run has in common. */
const SHORT = { characters: 512, pieces: 2000 };

/** Remembers what short texts encode to; callers must not change what they are given. */
function rememberShort(encode: (text: string) => readonly number[]): (text: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (text) => {
    if (text.length > SHORT.characters) return encode(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= SHORT.pieces) known.clear();
    const ids = encode(text);
    // A copy: a piece of a text keeps the whole text in memory, which may be a thousand times as long.
    known.set([...text].join(''), ids);
    return ids;
  };
}

/** @param specialNames - tokens that are hidden unless they are kept, by id */
function decodersOf(
  tokenizer: Tokenizer,
  specialNames: ReadonlyMap<number, string>,
): (keep?: readonly string[]) => IncrementalDecoder {
  const pieceOf = readTokenPieces(tokenizer);
  return (keep = []) => {
    const isHidden = (id: number): boolean => {
      const name = specialNames.get(id);
      return name !== undefined && !keep.includes(name);
    };
    if (pieceOf !== null) return createByteLevelDecoder(pieceOf, isHidden);
    return createIncrementalDecoder((ids) =>
      decodeText(
        tokenizer,
        ids.filter((id) => !isHidden(id)),
      ),
    );
  };
}

function decodeText(tokenizer: Tokenizer, ids: number[]): string {
  return ids.length === 0 ? '' : tokenizer.decode(ids, { clean_up_tokenization_spaces: false });
}

/** Whether a text that is encoded in two halves decodes to itself: tokenizers that put a space before each do not. */
function cutsCleanly(tokenizer: Tokenizer): boolean {
  const ids = ['a <', '|b|> c'].flatMap((half) => tokenizer.encode(half, { add_special_tokens: false }).ids);
  return decodeText(tokenizer, ids) === 'a <|b|> c';
}

function longestToken(tokenizer: Tokenizer): number {
  // Ids that no token has are holes, which a loop over the values would not pass over.
  return (tokenizer.model?.vocab ?? []).reduce((longest, token) => Math.max(longest, token.length), 1);
}
