import type { ChatCall } from '../../shared/domain/chat-call';
import { err, ok, type Result } from '../../shared/lib/result';
import type { AnswerFormat, AnswerParser } from '../answers/answer-format';
import { endsInReasoning, openingBehind } from '../answers/prompt-end';
import type { Backend, BackendStatus, GenerateTask } from '../backends/backend';
import { type RandomSource, randomHex } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';
import { findUnsupportedPart } from '../tokenizer/template-messages';

export interface PrepareCallPorts {
  readonly tokenizer: ChatTokenizer;
  readonly backend: Backend;
  readonly format: AnswerFormat;
  readonly random: RandomSource;
  readonly defaultMaxNewTokens: number;
}

/** Whose prompt is rendered, and how long it may be. */
export interface PrepareCallOptions {
  /** whose earlier prompts this one may begin with; null = nobody's */
  readonly conversation: string | null;
  /** how many of the model's contexts the prompt may fill; more than 1 only to count its tokens */
  readonly contexts?: number;
}

/** A call whose prompt is rendered: what the engine is asked, and how the answer is read. */
export interface PreparedCall {
  /** of choice 0; further choices differ in their seed only */
  readonly task: GenerateTask;
  readonly cachedTokens: number;
  /** @param newToolCallId - default: random ones */
  createParser(newToolCallId?: () => string): AnswerParser;
}

/**
 * Renders the prompt and settles what the engine is asked. Refuses what the model or the engine cannot do.
 */
export function prepareCall(
  ports: PrepareCallPorts,
  call: ChatCall,
  { conversation, contexts = 1 }: PrepareCallOptions,
): Result<PreparedCall, Refusal> {
  const { tokenizer, format, random, defaultMaxNewTokens } = ports;
  const part = findUnsupportedPart(call.messages);
  if (part !== null)
    return err(refusal('unsupported-parameter', `Content of type ${part} is not supported: send text.`, 'messages'));
  const tools = call.toolChoice.kind === 'none' ? [] : call.tools;
  const forced = findOpening(format, call);
  if (!forced.ok) return forced;

  const lacking = findLacking(call, ports.backend.status().supports);
  if (lacking !== null) return err(lacking);
  const contextLength = contextLengthOf(ports);
  const limitTokens = contexts * contextLength;
  const rendered = tokenizer.renderPrompt(call.messages, {
    tools,
    templateValues: call.templateValues,
    limitTokens,
    conversation,
  });
  if (!rendered.ok)
    return err(
      rendered.error.kind === 'prompt-too-long'
        ? contextRefusal(contextLength, `at least ${rendered.error.leastTokens}`)
        : refusal('bad-request', `The model's chat template refused: ${rendered.error.message}.`, 'messages'),
    );
  const { ids, text: promptText, cachedTokens } = rendered.value;
  const opening = forced.value === '' ? '' : openingBehind(promptText, forced.value);
  const promptTokenIds = opening === '' ? ids : [...ids, ...tokenizer.encode(opening)];
  const room = limitTokens - promptTokenIds.length;
  if (room < 1) return err(contextRefusal(contextLength, String(promptTokenIds.length)));
  return ok({
    cachedTokens,
    task: {
      promptTokenIds,
      maxNewTokens: Math.min(call.maxNewTokens ?? defaultMaxNewTokens, room),
      temperature: call.temperature,
      topP: call.topP,
      topK: call.topK,
      frequencyPenalty: call.frequencyPenalty,
      presencePenalty: call.presencePenalty,
      stopStrings: call.stopStrings,
      stopTokenIds: tokenizer.stopTokenIds,
      seed: call.seed,
      topLogprobs: call.topLogprobs,
      jsonSchema: schemaText(call),
    },
    createParser: (newToolCallId = () => `call_${randomHex(random, 24)}`) =>
      format.createParser({
        tools,
        startsInReasoning: forced.value === '' && endsInReasoning(promptText),
        forcedOpening: forced.value,
        newToolCallId,
      }),
  });
}

/** Text that averages more than this per token is nothing but runs of blanks. */
const CHARACTERS_PER_TOKEN = 32;

/** Refuses far more text than the context can hold, before it is digested or rendered: that would keep all others waiting. */
export function findTooMuchText(
  ports: Pick<PrepareCallPorts, 'backend' | 'tokenizer'>,
  { messages }: ChatCall,
  contexts = 1,
): Refusal | null {
  const contextLength = contextLengthOf(ports);
  const limitTokens = contexts * contextLength;
  const characters = messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
  return characters > CHARACTERS_PER_TOKEN * limitTokens
    ? contextRefusal(contextLength, `more than ${limitTokens}`)
    : null;
}

function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, part: { readonly text?: unknown } | null) => sum + lengthOf(part?.text), 0);
}

/** Tokens that prompt and answer together may have: the engine's limit where it has one, else the model's. */
export function contextLengthOf({ backend, tokenizer }: Pick<PrepareCallPorts, 'backend' | 'tokenizer'>): number {
  return backend.status().contextLength ?? tokenizer.contextLength;
}

/** What the call asks of the engine that this one does not have. */
function findLacking({ responseFormat, topLogprobs }: ChatCall, supports: BackendStatus['supports']): Refusal | null {
  if (responseFormat.kind !== 'text' && !supports.jsonSchema)
    return refusal(
      'unsupported-parameter',
      `response_format ${responseFormat.kind.replace('-', '_')} needs an engine that can be bound to a schema, and the one that runs cannot: ask for JSON in the messages, or use SGLang with a grammar backend.`,
      'response_format',
    );
  if ((topLogprobs ?? 0) > 0 && !supports.topLogprobs)
    return refusal('unsupported-parameter', 'The engine that runs does not report alternatives.', 'top_logprobs');
  return null;
}

function schemaText({ responseFormat }: ChatCall): string | null {
  switch (responseFormat.kind) {
    case 'text':
      return null;
    case 'json-object':
      return '{"type":"object"}';
    case 'json-schema':
      return JSON.stringify(responseFormat.schema);
  }
}

/** Text behind the prompt with which the answer begins when a tool must be called; it is prompt, not answer. */
function findOpening(format: AnswerFormat, { toolChoice }: ChatCall): Result<string, Refusal> {
  if (toolChoice.kind === 'auto' || toolChoice.kind === 'none') return ok('');
  const opening = format.forcedOpening(toolChoice.kind === 'named' ? toolChoice.name : null);
  if (opening !== null) return ok(opening);
  return err(
    refusal(
      'unsupported-parameter',
      `tool_choice can be 'auto' or 'none' here: this model's answer format (${format.name}) has no way to force a tool call.`,
      'tool_choice',
    ),
  );
}

/** @param promptTokens - how many the messages take, or a bound, in words */
export function contextRefusal(contextLength: number, promptTokens: string): Refusal {
  return refusal(
    'context-length',
    `This model's maximum context length is ${contextLength} tokens, but the messages take ${promptTokens} tokens and leave no room for an answer. Shorten the messages or start a new conversation.`,
    'messages',
  );
}
