import { z } from 'zod';
import { algorithmSchema } from '../shared/wire/trainer';

/** Names that become folder names: no separators, no dots in front, readable in every file system. */
const folderName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'use letters, digits, dot, dash, underscore');

/** Every setting of the gateway, with its unit, default and range. */
export const gatewayConfigSchema = z.object({
  /** address to listen on; a loopback address answers only to loopback host names */
  host: z.string().min(1).default('127.0.0.1'),
  /** TCP port; 0 picks a free one */
  port: z.number().int().min(0).max(65535).default(8090),
  /** folder of the database, the admin key and the run folders */
  dataDir: z.string().min(1),
  /** null: read from the file `admin-key` in the data folder, generated there at the first start */
  adminKey: z.string().min(8).nullable().default(null),
  experiment: folderName.default('plaudit'),
  trial: folderName.default('trial0'),
  /** root of the rollout dump; null: `dumps` in the data folder */
  fileroot: z.string().min(1).nullable().default(null),
  /** Hugging Face folder with config.json, tokenizer.json, tokenizer_config.json and the seed weights */
  modelPath: z.string().min(1),
  /** the model that comes with the studio, for the status line */
  isDemoModel: z.boolean().default(false),
  /** trajectories that make a batch */
  batchSize: z.number().int().min(1).max(4096).default(16),
  /** γ of sessions that do not choose their own; 1 = a later reward counts fully for earlier turns */
  turnDiscount: z.number().min(0).max(1).default(1),
  /** milliseconds without a call after which an agent's session is ended; human sessions wait for their rater */
  sessionTimeoutMs: z
    .number()
    .int()
    .min(1000)
    .max(7 * 24 * 3_600_000)
    .default(3_600_000),
  /** bytes of one request body */
  bodyLimitBytes: z
    .number()
    .int()
    .min(1024)
    .max(1 << 30)
    .default(16 * 1024 * 1024),
  /** host names, besides its address, under which the gateway is reached */
  allowedHosts: z.array(z.string().min(1)).default([]),
  /** web origins that may call the gateway; the studio's own page */
  allowedOrigins: z.array(z.string()).default([]),
  /** new tokens when the caller names no limit; always cut to the room the context leaves */
  defaultMaxNewTokens: z
    .number()
    .int()
    .min(1)
    .max(1 << 20)
    .default(512),
  /** milliseconds a call waits for an engine that went away */
  engineWaitMs: z.number().int().min(0).max(3_600_000).default(60_000),
  /**
   * Who decides that an agent's session may start. `gate`: the staleness formula while a trainer is connected · `soft`:
   * always · `grants`: only what a trainer outside granted with `/grant_capacity` or `/internal/wait_for_session`.
   * People are never refused.
   */
  admission: z.enum(['gate', 'soft', 'grants']).default('gate'),
  /** η of the admission guard, in batches */
  maxHeadOffpolicyness: z.number().int().min(0).max(1000).default(2),
  /** agent sessions open at once, whatever the staleness */
  maxOpenSessions: z.number().int().min(1).max(1_000_000).default(65_536),
  /** milliseconds a refresh waits for capacity */
  refreshTimeoutMs: z.number().int().min(1).max(3_600_000).default(120_000),
  /** milliseconds `/internal/wait_for_session` blocks */
  waitTimeoutMs: z
    .number()
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(3_600_000),
  /** `linear`: AReaL's, along arrival order · `tree`: along the branches of the conversation */
  discountMode: z.enum(['linear', 'tree']).default('linear'),
  /** what an ended session's answers become that nobody rated: wait, are dropped, or count as 0 as in AReaL */
  unratedPolicy: z
    .object({
      human: z.enum(['hold', 'drop', 'zero']).default('hold'),
      agent: z.enum(['hold', 'drop', 'zero']).default('hold'),
    })
    .default({ human: 'hold', agent: 'hold' }),
  /** shape of `/rl/start_session`'s answer: AReaL's v1, or its v2 with groups (status 201) */
  startSessionShape: z.enum(['v1', 'v2']).default('v1'),
  /** requests per second of one key, bursts of twice that; 0 = no limit */
  requestsPerSecond: z.number().min(0).max(1_000_000).default(0),
  /** connections open at once; more are closed at once */
  maxConnections: z.number().int().min(1).max(1_000_000).default(4096),
  /** milliseconds a client has to send its headers; the whole request gets twelve times that */
  headersTimeoutMs: z.number().int().min(100).max(600_000).default(10_000),
  /** how the model writes tool calls and thinking; `auto` reads its chat template */
  answerFormat: z.enum(['auto', 'plain', 'qwen', 'qwen-coder', 'hermes', 'llama', 'deepseek']).default('auto'),
  /** milliseconds a whole (not streamed) answer goes on after its client went away, so that a retry can join it */
  retryGraceMs: z.number().int().min(0).max(600_000).default(5000),
  /** settings of the run, fixed when its folder is first written */
  algorithm: algorithmSchema.default(algorithmSchema.parse({})),
});

/** Settings in effect. */
export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;
/** Settings as given: everything with a default may be left out. */
export type GatewayConfigInput = z.input<typeof gatewayConfigSchema>;

/** A setting is outside its range; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @throws ConfigError */
export function parseGatewayConfig(input: GatewayConfigInput): GatewayConfig {
  const parsed = gatewayConfigSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(`Setting ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'is not valid'}.`);
}
