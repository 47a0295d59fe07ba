import { invalidValue, malformed } from './request-error';
import { RequestFields } from './request-fields';
import type { SamplingShape } from './sampler';
import { deriveSeed } from './seeded-uniform';
import type { GenerateCall } from './sequence';

/** A checked generate request: what to sample and how to show it. */
export interface GenerateRequest {
  readonly call: GenerateCall;
  readonly stopStrings: readonly string[];
  readonly skipSpecialTokens: boolean;
  readonly noStopTrim: boolean;
  readonly isStreamed: boolean;
  readonly wantsLogprobs: boolean;
  readonly wantsLogprobText: boolean;
  readonly wantsPromptIds: boolean;
}

/** What the checks need to know about the engine. */
export interface RequestLimits {
  readonly contextLength: number;
  readonly vocabSize: number;
  readonly eosIds: readonly number[];
  readonly serverSeed: number;
  readonly newRequestId: () => string;
  readonly encode: (text: string) => readonly number[];
}

/** SGLang's default budget when the field is absent; an explicit null means as much as fits. */
const DEFAULT_MAX_NEW_TOKENS = 128;
const MAX_STOP_STRINGS = 64;

const PENALTY_DEFAULTS: Readonly<Record<string, number>> = {
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
};
const UNSUPPORTED = [
  'json_schema',
  'regex',
  'ebnf',
  'structural_tag',
  'stop_regex',
  'logit_bias',
  'custom_params',
  'beam_width',
];
const SUPPORTED = new Set([
  ...[
    'max_new_tokens',
    'min_new_tokens',
    'temperature',
    'top_p',
    'top_k',
    'min_p',
    'stop',
    'stop_token_ids',
    'ignore_eos',
  ],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'no_stop_trim', 'n', 'sampling_seed', 'stream_interval'],
]);

/** Checks a parsed `/generate` body. Throws RequestError with a sentence that names the field. */
export function readGenerateRequest(body: unknown, limits: RequestLimits): GenerateRequest {
  const fields = new RequestFields(body, 'the request body');
  const rid = fields.text('rid', null) ?? limits.newRequestId();
  if (rid === '') throw invalidValue('rid must not be empty');
  if (fields.raw('lora_path') !== null)
    throw invalidValue('lora_path is given, but this engine has no adapter support');
  const promptIds = readPrompt(fields, limits);
  const sampling = new RequestFields(fields.raw('sampling_params') ?? {}, 'sampling_params', 'sampling_params.');
  refuseUnsupported(sampling);
  const stopStrings = sampling.strings('stop').filter((string) => string !== '');
  if (stopStrings.length > MAX_STOP_STRINGS) throw invalidValue(`more than ${MAX_STOP_STRINGS} stop strings`);
  const logprobIds = fields.integers('token_ids_logprob');
  for (const id of logprobIds) requireInVocabulary('token_ids_logprob', id, limits.vocabSize);
  const seed = sampling.integer('sampling_seed', null);
  return {
    call: {
      rid,
      promptIds,
      shape: readShape(sampling),
      seed: seed ?? deriveSeed(limits.serverSeed, rid),
      ...readLengths(sampling, promptIds.length, limits),
      stopTokenIds: readStopTokens(sampling, limits.eosIds),
      topLogprobs: fields.number('top_logprobs_num', 0, isCountUpTo(limits.vocabSize), `[0, ${limits.vocabSize}]`),
      logprobIds,
      promptLogprobsFrom: readPromptLogprobsFrom(fields, promptIds.length),
    },
    stopStrings,
    skipSpecialTokens: sampling.flag('skip_special_tokens', true),
    noStopTrim: sampling.flag('no_stop_trim', false),
    isStreamed: fields.flag('stream', false),
    wantsLogprobs: fields.flag('return_logprob', false),
    wantsLogprobText: fields.flag('return_text_in_logprobs', false),
    wantsPromptIds: fields.flag('return_prompt_token_ids', false),
  };
}

function readPrompt(fields: RequestFields, limits: RequestLimits): readonly number[] {
  const given = ['text', 'input_ids', 'input_embeds'].filter((name) => fields.raw(name) !== null);
  if (given.length !== 1) throw invalidValue(`exactly one of text and input_ids must be given, found ${given.length}`);
  if (given[0] === 'input_embeds') throw invalidValue('input_embeds is not supported by this engine');
  const promptIds = given[0] === 'text' ? limits.encode(fields.text('text', '')) : readInputIds(fields);
  if (promptIds.length === 0) throw invalidValue('the prompt holds no tokens');
  for (const id of promptIds) requireInVocabulary('input_ids', id, limits.vocabSize);
  if (promptIds.length >= limits.contextLength) {
    throw invalidValue(`${promptIds.length} prompt tokens do not fit a context of ${limits.contextLength}`);
  }
  return promptIds;
}

function readInputIds(fields: RequestFields): readonly number[] {
  const value = fields.raw('input_ids');
  if (Array.isArray(value) && value.some(Array.isArray)) {
    throw invalidValue('a list of prompts is not supported by this engine: send one request per prompt');
  }
  return fields.integers('input_ids');
}

function readShape(sampling: RequestFields): SamplingShape {
  const topK = sampling.integer('top_k', -1);
  if (topK !== -1 && topK < 1) throw invalidValue(`top_k ${topK} is neither -1 nor at least 1`);
  return {
    temperature: sampling.number('temperature', 1, (value) => value >= 0, '[0, infinity)'),
    topP: sampling.number('top_p', 1, (value) => value > 0 && value <= 1, '(0, 1]'),
    topK,
    minP: sampling.number('min_p', 0, (value) => value >= 0 && value <= 1, '[0, 1]'),
  };
}

function readLengths(
  sampling: RequestFields,
  promptLength: number,
  { contextLength }: RequestLimits,
): { maxNewTokens: number; minNewTokens: number } {
  const room = contextLength - promptLength;
  const asked = sampling.integer('max_new_tokens', null);
  if (asked !== null && asked < 0) throw invalidValue(`max_new_tokens ${asked} is negative`);
  if (asked !== null && asked > room) {
    throw invalidValue(`${promptLength} prompt tokens and ${asked} new ones do not fit a context of ${contextLength}`);
  }
  const fallback = sampling.has('max_new_tokens') ? room : Math.min(DEFAULT_MAX_NEW_TOKENS, room);
  const maxNewTokens = asked ?? fallback;
  const minNewTokens = sampling.integer('min_new_tokens', 0);
  if (minNewTokens < 0 || minNewTokens > maxNewTokens) {
    throw invalidValue(`min_new_tokens ${minNewTokens} is outside [0, max_new_tokens ${maxNewTokens}]`);
  }
  return { maxNewTokens, minNewTokens };
}

/** ignore_eos switches off the request's own stop tokens too, as in SGLang. */
function readStopTokens(sampling: RequestFields, eosIds: readonly number[]): ReadonlySet<number> {
  const own = sampling.integers('stop_token_ids');
  return new Set(sampling.flag('ignore_eos', false) ? [] : [...eosIds, ...own]);
}

function readPromptLogprobsFrom(fields: RequestFields, promptLength: number): number | null {
  const start = fields.integer('logprob_start_len', -1);
  if (start === -1) return null;
  if (start < -1 || start > promptLength)
    throw invalidValue(`logprob_start_len ${start} is outside [-1, ${promptLength}]`);
  return start;
}

function refuseUnsupported(sampling: RequestFields): void {
  for (const name of sampling.names()) {
    if (name in PENALTY_DEFAULTS) {
      const value = sampling.raw(name);
      if (value === null || value === PENALTY_DEFAULTS[name]) continue;
      throw invalidValue(`${name} other than ${PENALTY_DEFAULTS[name]} is not supported by this engine`);
    }
    if (UNSUPPORTED.includes(name)) {
      if (sampling.raw(name) !== null) throw invalidValue(`${name} is not supported by this engine`);
      continue;
    }
    if (!SUPPORTED.has(name)) throw invalidValue(`sampling_params has an unknown key ${JSON.stringify(name)}`);
  }
  if (sampling.integer('n', 1) !== 1) throw invalidValue('n other than 1 is not supported by this engine');
}

function requireInVocabulary(name: string, id: number, vocabSize: number): void {
  if (id < 0 || id >= vocabSize)
    throw invalidValue(`${name} holds ${id}, which is outside the vocabulary of ${vocabSize}`);
}

function isCountUpTo(limit: number): (value: number) => boolean {
  return (value) => Number.isInteger(value) && value >= 0 && value <= limit;
}

/** The parsed JSON of a body, or the flat 400. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('the request body is not valid JSON');
  }
}
