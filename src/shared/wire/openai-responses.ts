import { z } from 'zod';
import { plauditExtensionSchema } from './openai-chat';

/** A tool definition; only functions can be honoured, so only their fields are named. */
export const responseToolSchema = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
export type ResponseTool = z.infer<typeof responseToolSchema>;

/** An input item; a message may come without its type. What each type needs is checked in the translation. */
export const responseInputItemSchema = z.looseObject({ type: z.string().nullish(), role: z.string().nullish() });
export type ResponseInputItem = z.infer<typeof responseInputItemSchema>;

/** `POST /v1/responses` as OpenAI clients send it; unknown fields are tolerated. */
export const responseRequestSchema = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(responseInputItemSchema)]).nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  tools: z.array(responseToolSchema).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string(), name: z.string().nullish() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  text: z
    .looseObject({
      format: z.looseObject({ type: z.string(), schema: z.record(z.string(), z.unknown()).nullish() }).nullish(),
    })
    .nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  truncation: z.string().nullish(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
});
export type ResponseRequest = z.infer<typeof responseRequestSchema>;

const itemStatusSchema = z.enum(['in_progress', 'completed', 'incomplete']);

const logprobSchema = z.object({ token: z.string(), bytes: z.array(z.number().int()), logprob: z.number() });

/** The sampled token's log-probability and the best alternatives. */
export const responseLogprobSchema = logprobSchema.extend({ top_logprobs: z.array(logprobSchema) });
export type ResponseLogprob = z.infer<typeof responseLogprobSchema>;

/** A piece of text of a message. */
export const outputTextSchema = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(responseLogprobSchema),
});
export type OutputText = z.infer<typeof outputTextSchema>;

/** One item of an answer. */
export const responseOutputItemSchema = z.discriminatedUnion('type', [
  z.object({
    id: z.string(),
    type: z.literal('message'),
    status: itemStatusSchema,
    role: z.literal('assistant'),
    content: z.array(outputTextSchema),
  }),
  z.object({
    id: z.string(),
    type: z.literal('function_call'),
    status: itemStatusSchema,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    id: z.string(),
    type: z.literal('reasoning'),
    status: itemStatusSchema,
    /** the whole reasoning, when the request asked for a summary */
    summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
    /** the whole reasoning, when the request did not ask for a summary */
    content: z.array(z.object({ type: z.literal('reasoning_text'), text: z.string() })),
    /** the reasoning again, for clients that send back nothing else; only when asked for */
    encrypted_content: z.string().nullish(),
  }),
]);
export type ResponseOutputItem = z.infer<typeof responseOutputItemSchema>;

/** Tokens of one response. */
export const responseUsageSchema = z.object({
  input_tokens: z.number().int(),
  input_tokens_details: z.object({ cached_tokens: z.number().int() }),
  output_tokens: z.number().int(),
  output_tokens_details: z.object({ reasoning_tokens: z.number().int() }),
  total_tokens: z.number().int(),
});

/** A response, whole or as far as it has come. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number().int(),
  completed_at: z.number().int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.number().int().nullable(),
  model: z.string(),
  output: z.array(responseOutputItemSchema),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
  store: z.boolean(),
  temperature: z.number(),
  text: z.looseObject({}),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  top_logprobs: z.number().int(),
  top_p: z.number(),
  truncation: z.literal('disabled'),
  usage: responseUsageSchema.nullable(),
  metadata: z.record(z.string(), z.string()),
  background: z.literal(false),
  plaudit: plauditExtensionSchema.extend({ interaction_id: z.string() }),
});
export type ResponseBody = z.infer<typeof responseSchema>;

/** One event of a streamed response; `sequence_number` counts from 0. */
export const responseEventSchema = z.looseObject({ type: z.string(), sequence_number: z.number().int() });
export type ResponseEvent = z.infer<typeof responseEventSchema>;

/** `DELETE /v1/responses/{id}` */
export const responseDeletedSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
});

/** `POST /v1/responses/input_tokens` */
export const responseInputTokensSchema = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.number().int(),
});
