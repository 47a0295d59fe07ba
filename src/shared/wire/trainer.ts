import { z } from 'zod';

/** The trainer contract `rlt/1`: files are the truth, JSON lines on stdin and stdout are the nerves. */
export const TRAINER_SCHEMA = 'rlt/1';

/** Baselines the embedded trainer offers; statistics run over episodes, each counted once. */
export const baselineSchema = z.enum(['batch_loo', 'batch', 'grpo', 'rloo']);
export type Baseline = z.infer<typeof baselineSchema>;

/** Algorithm settings of a run; defaults are the human-scalar preset. */
export const algorithmSchema = z.object({
  baseline: baselineSchema.default('batch_loo'),
  /** D of the policy loss: `token` = all masked tokens, `session` = each episode's tokens weigh alike */
  denominator: z.enum(['token', 'session']).default('session'),
  learning_rate: z.number().positive().default(5e-4),
  epochs: z.number().int().min(1).max(8).default(2),
  clip_low: z.number().min(0).default(0.2),
  clip_high: z.number().min(0).default(0.28),
  /** dual clip c > 1; null = off */
  dual_clip: z.number().gt(1).nullable().default(3),
  behave_weight: z.enum(['mask', 'truncate', 'off']).default('truncate'),
  behave_cap: z.number().positive().default(2),
  /** β of the k3 KL to the reference (seed) weights */
  kl_beta: z.number().min(0).default(0.02),
  grad_clip: z.number().positive().default(1),
  /** tokens older than this many versions are masked at consumption */
  max_token_staleness: z.number().int().min(0).default(4),
  /** tokens whose |log-probability now − when sampled| is beyond this are masked; null = off */
  drift_limit: z.number().positive().nullable().default(1),
});
export type Algorithm = z.infer<typeof algorithmSchema>;

/** Settings by name, as `set` changes them from the next batch on; `lr` and `beta` are short for learning_rate and kl_beta. */
export const runSettingsSchema = z.record(z.string(), z.union([z.number(), z.string()]));
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** `POST /rl/training_settings` (admin): what of the algorithm may change within a run, from the next batch on. */
export const trainingSettingsSchema = z.strictObject({
  baseline: baselineSchema,
  learning_rate: z.number().positive().max(0.1),
  kl_beta: z.number().min(0).max(10),
});
export type TrainingSettings = z.infer<typeof trainingSettingsSchema>;

/** `run.json`, written by the studio before the trainer first starts; only `model_path` follows a folder that moved. */
export const runSchema = z.object({
  schema: z.literal(TRAINER_SCHEMA),
  run_id: z.string(),
  model_path: z.string(),
  /** sha256 of what identifies the model, by which it is known again elsewhere; not read by trainers */
  model_digest: z.string().optional(),
  algorithm: algorithmSchema,
  seed: z.number().int(),
  created_at: z.string(),
});
export type Run = z.infer<typeof runSchema>;

/** `spool/<batch>/manifest.json`. */
export const manifestSchema = z.object({
  schema: z.literal(TRAINER_SCHEMA),
  run_id: z.string(),
  batch_id: z.number().int().min(1),
  formed_at_version: z.number().int().min(0),
  /** of data.safetensors, lower-case hex */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  n_tokens: z.number().int(),
  n_rows: z.number().int(),
  n_sessions: z.number().int(),
  sessions: z.array(
    z.object({
      id: z.string(),
      group: z.string(),
      source: z.string(),
      rater: z.string().nullable(),
      reward: z.number(),
      head: z.number().int(),
      tail: z.number().int(),
      rows: z.number().int(),
      created_at: z.string(),
    }),
  ),
  overrides: z.record(z.string(), z.number()).default({}),
  created_at: z.string(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/**
 * Tensors of `spool/<batch>/data.safetensors`, packed flat over T tokens, R rows, S episodes.
 *
 * input_ids i32[T] · loss_mask u8[T] · behave_logprob f32[T] · version i32[T] · cu_seqlens i32[R+1] · row_session i32[R] ·
 * row_reward f32[R] · row_temp f32[R] · row_flags u8[R] (1 truncated, 2 distorted) · session_reward f32[S] · session_group i32[S]
 */
export const SPOOL_TENSORS = [
  'input_ids',
  'loss_mask',
  'behave_logprob',
  'version',
  'cu_seqlens',
  'row_session',
  'row_reward',
  'row_temp',
  'row_flags',
  'session_reward',
  'session_group',
] as const;

/**
 * Why the trainer left a row out of the step. `stale`: too many versions old · `drift`: the weights have moved too far from
 * those that sampled it · `mismatch`: sampled by these very weights, yet with other probabilities (wrong template or adapter) ·
 * `distorted`: not drawn by plain sampling · `not_finite`: its log-probabilities are no numbers · `empty`: nothing was sampled.
 */
export const rowDropReasonSchema = z.enum(['stale', 'drift', 'mismatch', 'distorted', 'not_finite', 'empty']);
export type RowDropReason = z.infer<typeof rowDropReasonSchema>;

/** A row that was not trained although its batch was taken; `row` counts from 0 in spool order. */
export const rowDropSchema = z.object({ row: z.number().int().min(0), reason: rowDropReasonSchema });
export type RowDrop = z.infer<typeof rowDropSchema>;

/** `state/HEAD.json`: its rename is the commit point of a batch. */
export const headSchema = z.object({
  schema: z.literal(TRAINER_SCHEMA),
  run_id: z.string(),
  version: z.number().int().min(0),
  incarnation: z.number().int().min(0),
  last_batch: z.number().int().min(0),
  batch_sha: z.string().nullable(),
  /** folder of the training state, relative to the run directory; null before the first step */
  ckpt: z.string().nullable(),
  /** folder of the served weights, relative to the run directory; null = the seed model */
  weights: z.string().nullable(),
  /** what became of last_batch */
  status: z.enum(['none', 'trained', 'no_signal', 'skipped', 'too_stale']),
  /** rows of last_batch that were left out, ascending; every other row of a `trained` batch was trained */
  dropped: z.array(rowDropSchema).default([]),
});
export type Head = z.infer<typeof headSchema>;

/** `weights/<folder>/weights.json`: written last, so that a folder with it is complete. */
export const weightsManifestSchema = z.looseObject({
  version: z.number().int().min(1),
  incarnation: z.number().int().min(0),
  kind: z.enum(['full', 'lora']),
  files: z.array(
    z.object({
      /** inside the folder, no separators */
      name: z.string().regex(/^[^/\\]+$/),
      bytes: z.number().int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  parent_version: z.number().int().min(0),
  batch_id: z.number().int().min(1),
});
export type WeightsManifest = z.infer<typeof weightsManifestSchema>;

/** `skip/<batch>.json`, written by the studio: the trainer commits HEAD for that batch with status `skipped`, same version. */
export const skipSchema = z.looseObject({
  schema: z.literal(TRAINER_SCHEMA),
  batch_id: z.number().int().min(1),
  /** in words for a rater */
  reason: z.string(),
});
export type Skip = z.infer<typeof skipSchema>;

/** Folder and file names of batch k: six digits, `000042`. */
export const batchName = (batchId: number): string => String(batchId).padStart(6, '0');

export const ackStatusSchema = z.enum(['trained', 'no_signal', 'skipped', 'too_stale', 'replayed']);
export type AckStatus = z.infer<typeof ackStatusSchema>;

/** Trainer → studio, one JSON object per stdout line. Weights and acks are hints; HEAD is the truth. */
export const trainerMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    schema: z.literal(TRAINER_SCHEMA),
    pid: z.number().int(),
    device: z.string(),
    caps: z.array(z.string()),
  }),
  z.object({ type: z.literal('ready'), version: z.number().int(), last_batch: z.number().int() }),
  z.object({ type: z.literal('heartbeat') }),
  z.object({ type: z.literal('progress'), batch: z.number().int(), phase: z.string(), frac: z.number() }),
  z.object({
    type: z.literal('metrics'),
    batch: z.number().int(),
    version: z.number().int(),
    values: z.record(z.string(), z.number().nullable()),
  }),
  z.object({
    type: z.literal('weights'),
    version: z.number().int(),
    incarnation: z.number().int(),
    path: z.string(),
    kind: z.enum(['full', 'lora']),
    bytes: z.number().int(),
  }),
  z.object({
    type: z.literal('ack'),
    batch: z.number().int(),
    status: ackStatusSchema,
    version: z.number().int(),
    /** as in HEAD.json */
    dropped: z.array(rowDropSchema).default([]),
    /** the settings it was trained with, those that may change within a run */
    settings: runSettingsSchema.optional(),
  }),
  /** the answer to `set`: what holds from the next batch on */
  z.object({ type: z.literal('settings'), values: runSettingsSchema }),
  z.object({ type: z.literal('warn'), code: z.string(), message: z.string() }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string(), retryable: z.boolean() }),
  z.object({ type: z.literal('bye'), code: z.number().int() }),
]);
export type TrainerMessage = z.infer<typeof trainerMessageSchema>;

/** Studio → trainer, one JSON object per stdin line. */
export const trainerCommandSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('batch'), id: z.number().int(), path: z.string() }),
  z.object({ type: z.literal('pause') }),
  z.object({ type: z.literal('resume') }),
  z.object({ type: z.literal('set'), values: runSettingsSchema }),
  z.object({ type: z.literal('stop'), mode: z.enum(['after_batch', 'now']) }),
]);
export type TrainerCommand = z.infer<typeof trainerCommandSchema>;

/** Why the trainer ended; 10–12 and 16 are not worth a restart. */
export const TRAINER_EXIT = {
  done: 0,
  badConfig: 10,
  environment: 11,
  modelLoad: 12,
  outOfMemory: 13,
  divergence: 14,
  disk: 15,
  schemaMismatch: 16,
  corruptCheckpoint: 17,
  stopped: 20,
} as const;
