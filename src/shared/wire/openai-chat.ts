import { z } from 'zod';

/** A chat message; keys we do not know are kept, since the chat template may. */
export const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
});

const functionToolSchema = z.looseObject({
  type: z.literal('function').default('function'),
  function: z.looseObject({
    name: z.string().min(1).max(256),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const toolChoiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ function: z.looseObject({ name: z.string() }) }),
]);

const responseFormatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: z.string().optional(), schema: z.record(z.string(), z.unknown()).nullish() }),
  }),
]);

/** `POST /chat/completions` as OpenAI clients send it; unknown fields are tolerated. */
export const chatCompletionRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  seed: z.number().int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  tools: z.array(functionToolSchema).max(128).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormatSchema.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  /** stored beside the interaction */
  metadata: z.record(z.string(), z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  modalities: z.array(z.string()).nullish(),
  /** not OpenAI's: as SGLang and vLLM take it; 0 and −1 are off */
  top_k: z.number().int().min(-1).nullish(),
  /** not OpenAI's: variables of the chat template, such as `enable_thinking` */
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
});
export type ChatCompletionRequest = z.infer<typeof chatCompletionRequestSchema>;

const usageSchema = z.object({
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.number().int() }).optional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.number().int() }).optional(),
});

/** Ours, beside OpenAI's fields: which weights sampled what. Stock clients ignore it. */
export const plauditExtensionSchema = z.object({
  session_id: z.string(),
  /** what is rated; with n > 1 each choice has its own */
  interaction_id: z.string().optional(),
  /** runs over the output tokens sent so far */
  version_rle: z.array(z.tuple([z.number().int(), z.number().int()])),
});

const tokenLogprobSchema = z.object({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number().int()).nullable(),
});
const logprobsSchema = z.object({
  content: z.array(tokenLogprobSchema.extend({ top_logprobs: z.array(tokenLogprobSchema) })).nullable(),
  refusal: z.null(),
});

const finishReasonSchema = z.enum(['stop', 'length', 'tool_calls']);

export const toolCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int(),
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(toolCallSchema).optional(),
      }),
      logprobs: logprobsSchema.nullish(),
      finish_reason: finishReasonSchema,
      plaudit: plauditExtensionSchema.optional(),
    }),
  ),
  usage: usageSchema,
  plaudit: plauditExtensionSchema,
});
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;

/**
 * One SSE frame. The last one that finishes a choice carries the usage, as AReaL's service does unasked; with
 * `stream_options.include_usage` OpenAI's frame without choices follows, and repeats it.
 */
export const chatCompletionChunkSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int(),
      delta: z.looseObject({
        role: z.string().optional(),
        content: z.string().nullish(),
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(
            z.looseObject({
              index: z.number().int(),
              id: z.string().optional(),
              type: z.literal('function').optional(),
              function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }),
            }),
          )
          .optional(),
      }),
      logprobs: logprobsSchema.nullish(),
      finish_reason: finishReasonSchema.nullable(),
    }),
  ),
  usage: usageSchema.nullish(),
  plaudit: plauditExtensionSchema.optional(),
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;
