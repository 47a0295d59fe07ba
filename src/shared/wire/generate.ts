import { z } from 'zod';

/** SGLang's `/generate` request as Plaudit sends it: one prompt of token ids, ids and log-probs back. */
export const generateRequestSchema = z.object({
  rid: z.string(),
  input_ids: z.array(z.number().int()).min(1),
  return_logprob: z.literal(true),
  top_logprobs_num: z.number().int().min(1).optional(),
  stream: z.boolean(),
  sampling_params: z.object({
    max_new_tokens: z.number().int().min(1),
    temperature: z.number().min(0),
    top_p: z.number().optional(),
    top_k: z.number().int().optional(),
    min_p: z.number().optional(),
    frequency_penalty: z.number().optional(),
    presence_penalty: z.number().optional(),
    stop: z.array(z.string()).optional(),
    stop_token_ids: z.array(z.number().int()).optional(),
    sampling_seed: z.number().int().optional(),
    skip_special_tokens: z.boolean().optional(),
    no_stop_trim: z.boolean().optional(),
    /** JSON Schema as text; only engines with a grammar backend take it */
    json_schema: z.string().optional(),
  }),
});
export type GenerateRequest = z.infer<typeof generateRequestSchema>;

/** `[logprob, token id, text or null]`, one per output token. */
export const outputTokenLogprobSchema = z.tuple([z.number(), z.number().int(), z.string().nullable()]);

/** `abort` without a status code is a deliberate interruption: keep the tokens and resubmit. */
export const finishReasonSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stop'), matched: z.union([z.number(), z.string()]).nullish() }),
  z.object({ type: z.literal('length'), length: z.number().int().nullish() }),
  z.object({
    type: z.literal('abort'),
    message: z.string().nullish(),
    status_code: z.number().int().nullish(),
    err_type: z.string().nullish(),
  }),
]);

/** A span of output tokens sampled by one weight version; `end` is exclusive. */
export const weightVersionSpanSchema = z.object({
  version: z.string(),
  start: z.number().int(),
  end: z.number().int(),
});

/** One reply, or one streamed chunk (ids and log-probs then hold only what is new). */
export const generateReplySchema = z.object({
  text: z.string().optional(),
  output_ids: z.array(z.number().int()),
  meta_info: z.object({
    id: z.string(),
    finish_reason: finishReasonSchema.nullable(),
    prompt_tokens: z.number().int().optional(),
    completion_tokens: z.number().int().optional(),
    weight_version: z.string().optional(),
    weight_versions: z.array(weightVersionSpanSchema).optional(),
    output_token_logprobs: z.array(outputTokenLogprobSchema).optional(),
    /** per output token the likeliest ones, best first; only when asked for */
    output_top_logprobs: z.array(z.array(outputTokenLogprobSchema).nullable()).nullish(),
  }),
});
export type GenerateReply = z.infer<typeof generateReplySchema>;

/** `GET /model_info`. */
export const modelInfoSchema = z.object({ model_path: z.string(), weight_version: z.string().nullish() });

/** `GET /server_info`, only what the driver reads. */
export const serverInfoSchema = z.object({
  context_length: z.number().int().nullish(),
  incremental_streaming_output: z.boolean().nullish(),
  engine: z.string().optional(),
  version: z.string().optional(),
  /** SGLang's launch argument; `none` cannot constrain answers */
  grammar_backend: z.string().nullish(),
});

/** Reply of the weight endpoints. */
export const updateWeightsReplySchema = z.object({ success: z.boolean(), message: z.string() });
