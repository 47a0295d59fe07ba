import { z } from 'zod';

/** A content block; what each type needs is checked in the translation. */
export const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

const textOrBlocksSchema = z.union([z.string(), z.array(contentBlockSchema)]);

/** What `/v1/messages` and `/v1/messages/count_tokens` have in common; unknown fields are tolerated. */
export const countTokensRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: textOrBlocksSchema })).min(1),
  system: textOrBlocksSchema.nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string().min(1),
        description: z.string().nullish(),
        input_schema: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish(),
  tool_choice: z
    .looseObject({
      type: z.string(),
      name: z.string().nullish(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  output_config: z
    .looseObject({
      effort: z.string().nullish(),
      format: z.looseObject({ type: z.string(), schema: z.record(z.string(), z.unknown()).nullish() }).nullish(),
    })
    .nullish(),
  mcp_servers: z.array(z.unknown()).nullish(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
});
export type CountTokensRequest = z.infer<typeof countTokensRequestSchema>;

/** `POST /v1/messages` as Anthropic's clients send it. Temperatures over 1 are ours. */
export const messagesRequestSchema = countTokensRequestSchema.extend({
  max_tokens: z.number().int().min(1),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  stop_sequences: z.array(z.string()).max(16).nullish(),
  stream: z.boolean().nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
});
export type MessagesRequest = z.infer<typeof messagesRequestSchema>;

/** A block of an answer. */
export const answerBlockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('text'), text: z.string(), citations: z.null() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);
export type AnswerBlock = z.infer<typeof answerBlockSchema>;

/** `input_tokens` are those that were rendered anew; the cached ones come on top, as Anthropic counts. */
export const messageUsageSchema = z.object({
  input_tokens: z.number().int(),
  cache_creation_input_tokens: z.number().int(),
  cache_read_input_tokens: z.number().int(),
  output_tokens: z.number().int(),
});
export type MessageUsage = z.infer<typeof messageUsageSchema>;

export const stopReasonSchema = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use']);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** An answer, whole or (in `message_start`) only begun. */
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(answerBlockSchema),
  stop_reason: stopReasonSchema.nullable(),
  stop_sequence: z.string().nullable(),
  usage: messageUsageSchema,
  plaudit: z.object({
    session_id: z.string(),
    interaction_id: z.string(),
    version_rle: z.array(z.tuple([z.number().int(), z.number().int()])),
  }),
});
export type MessageBody = z.infer<typeof messageSchema>;

/** One event of a streamed answer; its `type` is also the SSE event name. */
export const messageEventSchema = z.looseObject({ type: z.string() });
export type MessageEvent = z.infer<typeof messageEventSchema>;

/** `POST /v1/messages/count_tokens` */
export const countTokensReplySchema = z.object({ input_tokens: z.number().int() });

/** Anthropic's error body, with AReaL's `detail` beside it. */
export const anthropicErrorSchema = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string(), message: z.string() }),
  request_id: z.string().nullable(),
  detail: z.string(),
});
export type AnthropicError = z.infer<typeof anthropicErrorSchema>;
