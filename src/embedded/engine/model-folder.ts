import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { CheckpointError, loadConfig } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';

/** Everything of an HF folder but the weights. */
export interface ModelFolder {
  readonly path: string;
  readonly config: LlamaConfig;
  readonly tokenizer: EngineTokenizer;
  /** from config.json, generation_config.json and the tokenizer, without repeats */
  readonly eosIds: readonly number[];
  readonly architectures: readonly string[];
}

export interface EngineTokenizer {
  readonly size: number;
  encode(text: string): readonly number[];
  decode(ids: readonly number[], skipSpecialTokens: boolean): string;
}

export async function readModelFolder(path: string): Promise<ModelFolder> {
  const config = await loadConfig(path);
  const tokenizerFile = await readJson(join(path, 'tokenizer.json'));
  const tokenizerConfig = await readJson(join(path, 'tokenizer_config.json'));
  if (tokenizerFile === null)
    throw new CheckpointError(`${join(path, 'tokenizer.json')} is absent`, { kind: 'missing' });
  const tokenizer = openTokenizer(path, tokenizerFile, tokenizerConfig ?? {});
  if (tokenizer.size !== config.vocabSize) {
    throw new CheckpointError(
      `${path}: the tokenizer has ${tokenizer.size} tokens, config.json says vocab_size ${config.vocabSize}`,
    );
  }
  const configFile = (await readJson(join(path, 'config.json'))) ?? {};
  const generation = (await readJson(join(path, 'generation_config.json'))) ?? {};
  const eosText = textOfToken(tokenizerConfig?.eos_token);
  const eosIds = [
    ...idList(configFile.eos_token_id),
    ...idList(generation.eos_token_id),
    ...(eosText === null ? [] : tokenizer.encode(eosText).slice(0, 1)),
  ].filter((id) => id < config.vocabSize);
  const architectures = Array.isArray(configFile.architectures) ? configFile.architectures.map(String) : [];
  return { path, config, tokenizer, eosIds: [...new Set(eosIds)], architectures };
}

/** Number of tokens of a folder's tokenizer, or null when it has none of its own. */
export async function tokenizerSizeOf(path: string): Promise<number | null> {
  const file = await readJson(join(path, 'tokenizer.json'));
  return file === null ? null : countTokens(file);
}

function openTokenizer(path: string, file: JsonObject, config: JsonObject): EngineTokenizer {
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(file, config);
  } catch (cause) {
    throw new CheckpointError(`${path}: tokenizer.json cannot be used`, { cause });
  }
  return {
    size: countTokens(file),
    encode: (text) => (text === '' ? [] : tokenizer.encode(text, { add_special_tokens: false }).ids),
    // the library refuses an empty list
    decode: (ids, skipSpecialTokens) =>
      ids.length === 0
        ? ''
        : tokenizer.decode([...ids], { skip_special_tokens: skipSpecialTokens, clean_up_tokenization_spaces: false }),
  };
}

/** Highest id + 1 over vocabulary and added tokens. */
function countTokens(file: JsonObject): number {
  const model = isObject(file.model) ? file.model : {};
  const vocabulary = isObject(model.vocab) ? Object.values(model.vocab) : [];
  const added = Array.isArray(file.added_tokens)
    ? file.added_tokens.map((token) => (isObject(token) ? token.id : -1))
    : [];
  return [...vocabulary, ...added].reduce<number>(
    (size, id) => (typeof id === 'number' ? Math.max(size, id + 1) : size),
    0,
  );
}

type JsonObject = Record<string, unknown>;

/** The parsed object, null when the file does not exist. */
async function readJson(path: string): Promise<JsonObject | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new CheckpointError(`${path} is not valid JSON`, { cause });
  }
  throw new CheckpointError(`${path} is not a JSON object`);
}

function idList(value: unknown): number[] {
  return [value].flat().filter((id): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0);
}

function textOfToken(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.content === 'string' ? value.content : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
