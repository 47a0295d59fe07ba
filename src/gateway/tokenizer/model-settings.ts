import type { ModelFolder } from '../platform/model-files';

/** What the gateway needs from a model folder's small JSON files. */
export interface ModelSettings {
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly stopTokenIds: readonly number[];
  readonly chatTemplate: string | null;
  /** bos_token, eos_token … as templates name them */
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Collects the settings; numbers that are nowhere get the smallest promise that is safe. */
export function readModelSettings(
  folder: ModelFolder,
  tokenizerConfig: Readonly<Record<string, unknown>>,
  tokenToId: (token: string) => number | undefined,
): ModelSettings {
  const config = folder.readJson('config.json') as Record<string, unknown>; // an object in every model
  const generation = (folder.readJsonIfPresent('generation_config.json') ?? {}) as Record<string, unknown>; // likewise
  // Multimodal configurations keep the language model's numbers one level down.
  const text = (config.text_config ?? config) as Record<string, unknown>;
  const specialTokens = readSpecialTokens(tokenizerConfig);
  const endToken = specialTokens.eos_token;
  const stopTokenIds = new Set([
    ...toIds(generation.eos_token_id),
    ...toIds(text.eos_token_id ?? config.eos_token_id),
    ...toIds(endToken === undefined ? undefined : tokenToId(endToken)),
  ]);
  return {
    contextLength: toCount(text.max_position_embeddings) ?? 2048,
    vocabularySize: toCount(text.vocab_size) ?? Number.MAX_SAFE_INTEGER,
    stopTokenIds: [...stopTokenIds],
    chatTemplate: readTemplate(folder, tokenizerConfig.chat_template),
    specialTokens,
  };
}

function readTemplate(folder: ModelFolder, value: unknown): string | null {
  if (typeof value === 'string') return value;
  const file = folder.readTextIfPresent('chat_template.jinja');
  if (file !== null) return file;
  if (!Array.isArray(value)) return null;
  const named = value as { name?: unknown; template?: unknown }[]; // the documented list form
  const chosen = named.find((entry) => entry.name === 'default') ?? named[0];
  return typeof chosen?.template === 'string' ? chosen.template : null;
}

function readSpecialTokens(tokenizerConfig: Readonly<Record<string, unknown>>): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(tokenizerConfig)) {
    if (!name.endsWith('_token')) continue;
    if (typeof value === 'string') tokens[name] = value;
    else if (typeof value === 'object' && value !== null && 'content' in value) tokens[name] = String(value.content);
  }
  return tokens;
}

function toIds(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).filter((id): id is number => Number.isInteger(id));
}

function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
