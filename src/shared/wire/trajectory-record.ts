import { z } from 'zod';
import type { VersionRun } from '../domain/version-runs';

const versionRunSchema = z.tuple([z.number().int(), z.number().int().min(0)]) as z.ZodType<VersionRun>; // same shape, readonly on our side

/** A run of prompt, generated or context tokens; lengths sum to seqlen. */
export const segmentSchema = z.object({
  role: z.enum(['prompt', 'gen', 'context']),
  len: z.number().int().min(0),
  text: z.string(),
});
export type Segment = z.infer<typeof segmentSchema>;

/**
 * One line of a rollout dump: AReaL's fields first and unchanged, then ours, all optional so that its files open too.
 *
 * Older AReaL dumps lack `version_rle` and write head −1 (minimum over prompt tokens): −1 there reads as unknown.
 */
export const trajectoryRecordSchema = z.looseObject({
  task_id: z.union([z.number().int(), z.string()]),
  sample_idx: z.number().int(),
  seqlen: z.number().int(),
  prompt_len: z.number().int(),
  head_version: z.number().int(),
  tail_version: z.number().int(),
  version_rle: z.array(versionRunSchema).optional(),
  reward: z.number().nullable(),
  prompt: z.string(),
  completion: z.string(),
  segments: z.array(segmentSchema).optional(),
  original_reward: z.number().nullable().optional(),
  session_id: z.string().optional(),
  interaction_id: z.string().optional(),
  group_id: z.string().optional(),
  source: z.string().optional(),
  rater_id: z.string().nullable().optional(),
  turn: z.number().int().optional(),
  finish_reason: z.string().optional(),
  temperature: z.number().optional(),
  created_at: z.string().optional(),
  input_ids: z.array(z.number().int()).optional(),
  logprobs: z.array(z.number()).optional(),
  loss_mask: z.array(z.number().int()).optional(),
  /** text of each output token, in order, for the token-exact version tint */
  output_token_texts: z.array(z.string()).optional(),
});
export type TrajectoryRecord = z.infer<typeof trajectoryRecordSchema>;
