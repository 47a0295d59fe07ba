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
