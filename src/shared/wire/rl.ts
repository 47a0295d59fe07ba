import { z } from 'zod';

/** Names people and scripts choose: no control characters (they end strings elsewhere) and no half characters. */
const nameSchema = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, 'must not contain control characters or unpaired surrogates');

/** Rewards beyond this are a mistake: one of them would drown every other rating of its batch. */
export const MAX_REWARD = 10_000;

/** `POST /rl/start_session` (admin). AReaL's two fields, then ours, all optional. */
export const startSessionRequestSchema = z.looseObject({
  task_id: nameSchema(512).min(1),
  /** the key of an earlier session: ends that session and starts a new one under the same key */
  api_key: nameSchema(512).nullish(),
  /** sessions of one prompt share it; default: the session's own id */
  group_id: nameSchema(512).min(1).nullish(),
  source: z.enum(['human', 'agent']).nullish(),
  rater_id: nameSchema(128).nullish(),
  /** γ in [0, 1]; default from the gateway's configuration */
  turn_discount: z.number().min(0).max(1).nullish(),
  /** along which order a later reward flows back; default from the configuration */
  discount_mode: z.enum(['linear', 'tree']).nullish(),
  /** what its answers become that nobody rated; default from the configuration */
  unrated_policy: z.enum(['hold', 'drop', 'zero']).nullish(),
  /** `external`: a trainer outside takes it with `/export_trajectories`; it is never trained here */
  consumer: z.enum(['plaudit', 'external']).nullish(),
  /** shape of the answer; default: `v2` when `group_size` is there, else from the gateway's configuration */
  shape: z.enum(['v1', 'v2']).nullish(),
  /** v2 only: sessions of one group, started all or none */
  group_size: z.number().int().min(1).max(256).nullish(),
});
export const startSessionReplySchema = z.object({ session_id: z.string(), api_key: z.string() });
/** AReaL's second generation, status 201. */
export const startSessionGroupReplySchema = z.object({
  group_id: z.string(),
  sessions: z.array(z.object({ session_id: z.string(), session_api_key: z.string() })),
});

/**
 * `POST /internal/wait_for_session` (admin): a trainer outside waits for the next session of an agent. Answers when that
 * session has ended.
 */
export const waitForSessionRequestSchema = z.looseObject({
  /** comes back in the answer; nothing is sent there */
  worker_addr: nameSchema(2048),
});
export const waitForSessionReplySchema = z.object({
  session_api_key: z.string(),
  session_id: z.string(),
  worker_addr: z.string(),
});

/** `POST /grant_capacity` (admin), no body: one more session may start; how many were granted and not used yet. */
export const grantCapacityReplySchema = z.object({ capacity: z.number().int() });

/** Capacity for agents' sessions, as it stands. */
export const capacityViewSchema = z.object({
  admission: z.enum(['gate', 'soft', 'grants']),
  /** sessions that may start now without a waiting trainer; may be negative */
  capacity: z.number().int(),
  /** whether the staleness formula decides now */
  gated: z.boolean(),
  /** open agent sessions that train here */
  running: z.number().int(),
  /** open agent sessions for a trainer outside */
  external: z.number().int(),
  /** trajectories that batches took or that wait for one */
  accepted: z.number().int(),
  granted: z.number().int(),
  /** trainers outside that wait for a session and have none */
  waiters: z.number().int(),
  /** refreshes that wait for capacity */
  refreshing: z.number().int(),
  max_open: z.number().int(),
  max_head_offpolicyness: z.number().int(),
  batch_id: z.number().int(),
  batch_size: z.number().int(),
});

/**
 * `POST /rl/set_reward`. Session key: this session's interaction by id, or its last finished one.
 * Admin key: any interaction by id, also after the session's end, until a batch holds it.
 */
export const setRewardRequestSchema = z.looseObject({
  reward: z.number().min(-MAX_REWARD).max(MAX_REWARD),
  interaction_id: z.string().nullish(),
  rater_id: nameSchema(128).nullish(),
  note: z
    .string()
    .max(4000)
    .regex(/^[^\p{Surrogate}]*$/u, 'must not contain unpaired surrogates')
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .nullish(),
});
/** AReaL's message, then which interaction was rated and what happened to an earlier value. */
export const setRewardReplySchema = z.object({
  message: z.literal('success'),
  interaction_id: z.string(),
  outcome: z.enum(['set', 'changed', 'unchanged']),
  previous_reward: z.number().nullable(),
});

export const endSessionReplySchema = z.object({ message: z.literal('success'), interaction_count: z.number().int() });

/**
 * `DELETE /rl/interactions/{id}/reward` (admin, or the session's own key): withdraws a rating that no batch holds yet.
 * `none`: there was nothing to withdraw.
 */
export const withdrawRewardReplySchema = z.object({
  message: z.literal('success'),
  interaction_id: z.string().optional(),
  outcome: z.enum(['withdrawn', 'none']).optional(),
  previous_reward: z.number().nullable(),
});

/**
 * `POST /export_trajectories` (admin). `peek` changes nothing and answers at once; `take` waits for the session's end,
 * then gives it to the caller for good: nothing of it is trained here. Default: `take` for a session whose consumer is
 * outside, else `peek`. Both can be repeated with the same answer.
 */
export const exportRequestSchema = z.looseObject({
  session_id: z.string(),
  /** γ of this export; the session's own γ decides what is trained here */
  discount: z.number().min(0).max(1).default(1),
  style: z.enum(['individual', 'concat']).default('individual'),
  /** default: the session's own */
  discount_mode: z.enum(['linear', 'tree']).nullish(),
  /** leaves out what a client's retries left behind, before rewards are discounted */
  drop_retry_orphans: z.boolean().default(false),
  mode: z.enum(['peek', 'take']).nullish(),
});

export const ratingStateSchema = z.enum(['unrated', 'waiting', 'in-batch', 'trained', 'dropped']);

/** `GET /rl/interactions/{id}/reward` (admin, or the session's own key): the rating as it stands, and how it came to. */
export const rewardViewSchema = z.object({
  interaction_id: z.string(),
  session_id: z.string(),
  /** what the rater or script set; null = not rated */
  reward: z.number().nullable(),
  rater_id: z.string().nullable(),
  note: z.string().nullable(),
  rated_at: z.string().nullable(),
  /** after turn discount, and as advantage; known once a batch holds the answer */
  discounted_reward: z.number().nullable(),
  normalised_reward: z.number().nullable(),
  state: ratingStateSchema,
  batch_id: z.number().int().nullable(),
  version: z.number().int().nullable(),
  reason: z.string().nullable(),
  /** what can still be done */
  can: z.array(z.enum(['set', 'change', 'withdraw'])),
  /** every change, oldest first; `reward` null = withdrawn */
  history: z.array(
    z.object({
      reward: z.number().nullable(),
      rater_id: z.string().nullable(),
      note: z.string().nullable(),
      at: z.string(),
    }),
  ),
});
export type RewardView = z.infer<typeof rewardViewSchema>;

/** `POST /rl/sessions/{id}/abort` (admin): ends the session; what no batch holds is never trained. Repeatable. */
export const abortSessionReplySchema = z.object({
  message: z.literal('success'),
  session_id: z.string(),
  /** false when it had ended before */
  ended: z.boolean(),
  /** answers that were being sampled */
  cancelled: z.number().int(),
  /** every rating of the session, and what became of it */
  ratings: z.array(
    z.object({
      interaction_id: z.string(),
      reward: z.number(),
      state: ratingStateSchema,
      batch_id: z.number().int().nullable(),
      version: z.number().int().nullable(),
      reason: z.string().nullable(),
    }),
  ),
});

/** One line of trouble for the status bar: what is wrong, what to do, and the button that does it. */
export const troubleSchema = z.object({ kind: z.string(), message: z.string(), advice: z.string() });
export type Trouble = z.infer<typeof troubleSchema>;

/** `GET /rl/status` (admin): the four facts of the status bar, and what is being served. */
export const statusSchema = z.object({
  experiment: z.string(),
  trial: z.string(),
  dump_dir: z.string(),
  /** weights that answer now; null until the engine first answered */
  served_version: z.number().int().nullable(),
  /** newest version the trainer has committed */
  trained_version: z.number().int(),
  engine: z.object({
    state: z.enum(['waiting', 'serving', 'updating', 'failed']),
    detail: z.string().nullable(),
    name: z.string().nullable(),
    running: z.number().int(),
  }),
  trainer: z.object({
    state: z.enum(['off', 'idle', 'training']),
    batch_id: z.number().int().nullable(),
    phase: z.string().nullable(),
    /** 0..1 within the batch */
    fraction: z.number().nullable(),
  }),
  batch: z.object({
    /** trajectories that make a batch */
    size: z.number().int(),
    /** trajectories ready now (rated, session ended, in no batch) */
    filled: z.number().int(),
    /** rated, but their session is still open */
    open_rated: z.number().int(),
    next_id: z.number().int(),
  }),
  model: z.object({
    name: z.string(),
    parameters: z.number().int(),
    context_length: z.number().int(),
    is_demo: z.boolean(),
  }),
  trouble: z.array(troubleSchema),
  capacity: capacityViewSchema.optional(),
  /** batches that the trainer passed over: untrained, for a person to try again or to leave */
  set_aside: z
    .array(z.object({ batch_id: z.number().int(), ratings: z.number().int(), reason: z.string(), at: z.string() }))
    .optional(),
});
export type Status = z.infer<typeof statusSchema>;

/** `POST /rl/batches/{id}/retry` and `/dismiss` (admin): decides about a batch of the status's `set_aside`, once. */
export const batchDecisionReplySchema = z.object({ message: z.literal('success'), batch_id: z.number().int() });

/** `DELETE /rl/recovery` (admin): a person took note of what a damaged database cost. */
export const noteRecoveryReplySchema = z.object({ message: z.literal('success') });

/** What became of one rating. */
export const receiptSchema = z.object({
  interaction_id: z.string(),
  session_id: z.string(),
  task_id: z.string(),
  reward: z.number(),
  rater_id: z.string().nullable(),
  rated_at: z.string(),
  /** waiting → in-batch → trained, or dropped */
  state: ratingStateSchema,
  /** true while a change or withdrawal is still possible */
  revocable: z.boolean(),
  batch_id: z.number().int().nullable(),
  /** the version it was trained into */
  version: z.number().int().nullable(),
  reason: z.string().nullable(),
  /** first characters of the answer */
  excerpt: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** `GET /rl/receipts?limit=` (admin): newest first, counts over all. */
export const receiptsSchema = z.object({
  counts: z.object({
    waiting: z.number().int(),
    in_batch: z.array(z.object({ batch_id: z.number().int(), count: z.number().int() })),
    trained: z.array(z.object({ version: z.number().int(), count: z.number().int() })),
    dropped: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  }),
  ratings: z.array(receiptSchema),
});
export type Receipts = z.infer<typeof receiptsSchema>;

/** One token of an answer as it was sampled. */
export const tokenViewSchema = z.object({
  id: z.number().int(),
  text: z.string(),
  logprob: z.number(),
  version: z.number().int(),
});

export const interactionViewSchema = z.object({
  interaction_id: z.string(),
  session_id: z.string(),
  parent_id: z.string().nullable(),
  state: z.enum(['running', 'finished', 'failed', 'interrupted']),
  messages: z.array(z.looseObject({ role: z.string() })),
  output: z.string().nullable(),
  /** the answer whole, as a chat-completions message: `reasoning_content` and `tool_calls` where it has them */
  output_message: z.looseObject({ role: z.string() }).nullable().optional(),
  finish_reason: z.string().nullable(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  version_rle: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** as it was set */
  reward: z.number().nullable(),
  /** after turn discount, and as advantage; known once a batch holds the answer */
  discounted_reward: z.number().nullable().optional(),
  normalised_reward: z.number().nullable().optional(),
  rating_state: ratingStateSchema,
  /** what the state means for this rating: batch id, version, or why it was dropped */
  batch_id: z.number().int().nullable(),
  version: z.number().int().nullable(),
  reason: z.string().nullable(),
  created_at: z.string(),
  error: z.string().nullable(),
  /** why its evidence must not be trained on; null = sound */
  untrainable: z.string().nullable().optional(),
  /** the retry that was sampled instead, because the client never got this one's end */
  replaced_by: z.string().nullable().optional(),
  /** only in `GET /rl/interactions/{id}` */
  tokens: z.array(tokenViewSchema).optional(),
});
export type InteractionView = z.infer<typeof interactionViewSchema>;

export const sessionViewSchema = z.object({
  session_id: z.string(),
  task_id: z.string(),
  group_id: z.string(),
  /** so that the studio can go on with a conversation after a restart */
  api_key: z.string(),
  source: z.enum(['human', 'agent', 'import']),
  rater_id: z.string().nullable(),
  turn_discount: z.number(),
  discount_mode: z.enum(['linear', 'tree']).optional(),
  unrated_policy: z.enum(['hold', 'drop', 'zero']).optional(),
  /** `external`: a trainer outside waits for it */
  consumer: z.enum(['plaudit', 'external']).optional(),
  /** when a trainer outside took it */
  taken_at: z.string().nullable().optional(),
  state: z.enum(['open', 'ended']),
  created_at: z.string(),
  ended_at: z.string().nullable(),
  end_reason: z.enum(['client', 'refresh', 'idle', 'abort', 'admin']).nullable().optional(),
  interaction_count: z.number().int(),
  rated_count: z.number().int(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/** `GET /rl/sessions?state=&source=&task=&group=&consumer=&end_reason=&text=&limit=&offset=` (admin), newest first. */
export const sessionsSchema = z.object({ total: z.number().int(), sessions: z.array(sessionViewSchema) });
/** `GET /rl/sessions/{id}` (admin). */
export const sessionDetailSchema = sessionViewSchema.extend({ interactions: z.array(interactionViewSchema) });

/** `GET /rl/versions` (admin), oldest first. */
export const versionsSchema = z.object({
  versions: z.array(
    z.object({
      version: z.number().int(),
      batch_id: z.number().int().nullable(),
      trained_at: z.string().nullable(),
      served_at: z.string().nullable(),
      trajectories: z.number().int(),
      reward_mean: z.number().nullable(),
    }),
  ),
});
export type Versions = z.infer<typeof versionsSchema>;

/** `GET /rl/training_metrics` (admin): one object per batch the trainer reported on, oldest first. */
export const trainingMetricsSchema = z.object({
  batches: z.array(
    z.object({
      batch_id: z.number().int(),
      version: z.number().int(),
      status: z.string(),
      at: z.string(),
      values: z.record(z.string(), z.number().nullable()),
    }),
  ),
});
export type TrainingMetrics = z.infer<typeof trainingMetricsSchema>;
