import type { ChatMessage } from './interaction';

/** The HTTP dialect a call came in; the rest of the gateway never asks. */
export type Dialect = 'chat' | 'responses' | 'messages';

/** A function the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments object; null = none was given */
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

/** `required`: some tool must be called · `named`: this one. Both begin the answer with the opening of a call. */
export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'named'; readonly name: string };

export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json-object' }
  | { readonly kind: 'json-schema'; readonly schema: Readonly<Record<string, unknown>> };

/** A request for completions in the gateway's own words; every default is filled in. All dialects translate to this. */
export interface ChatCall {
  readonly dialect: Dialect;
  /** chat-completions form (tool calls and results included), null-valued keys removed */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** false: the answer ends with its first complete tool call */
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat;
  /** completions to sample, 1 to 128; each is an interaction of its own */
  readonly n: number;
  /** ≥ 0 */
  readonly temperature: number;
  /** (0, 1] */
  readonly topP: number;
  /** null = off */
  readonly topK: number | null;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** null = the gateway's default */
  readonly maxNewTokens: number | null;
  /** none is empty */
  readonly stopStrings: readonly string[];
  readonly seed: number | null;
  /** alternatives to report per token, 0 = only the sampled token's log-prob; null = no log-probs asked for */
  readonly topLogprobs: number | null;
  /** extra values for the chat template, such as `enable_thinking` */
  readonly templateValues: Readonly<Record<string, unknown>>;
  /** stored beside the interaction, never shown to the model */
  readonly metadata: Readonly<Record<string, string>> | null;
  /**
   * Sampled with anything but temperature: log-probs are then not of the distribution that was sampled from. Greedy
   * sampling counts too, because engines report its log-probs at temperature 1.
   */
  readonly distorted: boolean;
}

/** A parameter with a meaning we know and cannot honour. */
export interface UnsupportedParameter {
  readonly param: string;
  readonly message: string;
}
