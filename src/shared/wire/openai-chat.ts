import { z } from 'zod';

/** A chat message; keys we do not know are kept, since the chat template may. */
export const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
});

/** `POST /chat/completions` as OpenAI clients send it; unknown fields are tolerated. */
export const chatCompletionRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.number().int().nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  seed: z.number().int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  tools: z.array(z.unknown()).nullish(),
});
export type ChatCompletionRequest = z.infer<typeof chatCompletionRequestSchema>;

const usageSchema = z.object({
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
});

/** Ours, beside OpenAI's fields: which weights sampled what. Stock clients ignore it. */
export const plauditExtensionSchema = z.object({
  session_id: z.string(),
  /** runs over the output tokens sent so far */
  version_rle: z.array(z.tuple([z.number().int(), z.number().int()])),
});

export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']),
    }),
  ),
  usage: usageSchema,
  plaudit: plauditExtensionSchema,
});
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;

/** One SSE frame; the last one before `[DONE]` carries finish_reason, usage and the final version runs. */
export const chatCompletionChunkSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int(),
      delta: z.looseObject({ role: z.string().optional(), content: z.string().nullish() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']).nullable(),
    }),
  ),
  usage: usageSchema.nullish(),
  plaudit: plauditExtensionSchema.optional(),
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;
