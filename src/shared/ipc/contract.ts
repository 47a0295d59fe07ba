import { z } from 'zod';
import { baselineSchema } from '../wire/trainer';
import { trajectoryFileSchema } from '../wire/trajectory-files';
import type { IpcChannel, IpcEvent } from './channels';

/** One supervised child. `detail` says what to do when it failed. */
export const processViewSchema = z.object({
  name: z.enum(['engine', 'trainer']),
  state: z.enum(['stopped', 'starting', 'ready', 'stopping', 'failed']),
  detail: z.string().nullable(),
  pid: z.number().int().nullable(),
  restarts: z.number().int(),
  /** milliseconds since the epoch of the last state change */
  since: z.number(),
});
export type ProcessView = z.infer<typeof processViewSchema>;

/** What a person may choose, without defaults: a change of one field must never bring in the others. */
const settingsFields = {
  language: z.enum(['system', 'en', 'zh']),
  theme: z.enum(['system', 'light', 'dark']),
  raterId: z.string().max(128),
  experiment: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  trial: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  /** trajectories per batch */
  batchSize: z.number().int().min(2).max(256),
  baseline: baselineSchema,
  learningRate: z.number().positive().max(0.1),
  klBeta: z.number().min(0).max(10),
  temperature: z.number().min(0.05).max(2),
  maxNewTokens: z.number().int().min(1).max(4096),
  /** true: each rated answer ends its session; false: a person ends a conversation by hand */
  endSessionOnRating: z.boolean(),
  /** 0 = any free port */
  gatewayPort: z.number().int().min(0).max(65535),
};

/** Settings a person chooses; everything else is derived. Units in names. */
export const settingsSchema = z.object({
  language: settingsFields.language.default('system'),
  theme: settingsFields.theme.default('system'),
  raterId: settingsFields.raterId.default('rater'),
  experiment: settingsFields.experiment.default('demo'),
  trial: settingsFields.trial.default('trial-0'),
  batchSize: settingsFields.batchSize.default(16),
  baseline: settingsFields.baseline.default('batch_loo'),
  learningRate: settingsFields.learningRate.default(5e-4),
  klBeta: settingsFields.klBeta.default(0.02),
  temperature: settingsFields.temperature.default(1),
  maxNewTokens: settingsFields.maxNewTokens.default(64),
  endSessionOnRating: settingsFields.endSessionOnRating.default(true),
  gatewayPort: settingsFields.gatewayPort.default(0),
});

/** Some settings, as they are changed: what is not named stays as it is. */
export const settingsChangesSchema = z.object(settingsFields).partial();
export type Settings = z.infer<typeof settingsSchema>;

/** Something wrong outside the gateway's own reach (it could not start, a child gave up). */
export const studioTroubleSchema = z.object({
  kind: z.string(),
  message: z.string(),
  advice: z.string(),
});
export type StudioTrouble = z.infer<typeof studioTroubleSchema>;

const nothing = z.undefined();

/** Channel → request and reply. A missing or extra channel does not compile. */
export const ipcContract = {
  'gateway-address': {
    request: nothing,
    reply: z.object({
      url: z.string().nullable(),
      token: z.string(),
      /** file that holds the token, for programs outside; null while there is no gateway */
      tokenPath: z.string().nullable(),
      trouble: z.array(studioTroubleSchema),
    }),
  },
  'processes-list': { request: nothing, reply: z.array(processViewSchema) },
  'process-restart': { request: z.object({ name: z.enum(['engine', 'trainer']) }), reply: nothing },
  'process-log': {
    request: z.object({ name: z.enum(['engine', 'trainer']) }),
    reply: z.object({ lines: z.array(z.string()) }),
  },
  'trajectories-open': {
    request: z.object({ kind: z.enum(['file', 'folder', 'sample']) }),
    /** null: the dialog was cancelled */
    reply: z.union([
      z.object({ ok: z.literal(true), file: trajectoryFileSchema }),
      z.object({ ok: z.literal(false), message: z.string() }),
      z.null(),
    ]),
  },
  'path-show': { request: z.object({ what: z.enum(['dump', 'logs', 'data']) }), reply: nothing },
  'settings-read': { request: nothing, reply: settingsSchema },
  'settings-write': {
    request: settingsChangesSchema,
    reply: z.object({ settings: settingsSchema, restartNeeded: z.boolean() }),
  },
  'app-info': {
    request: nothing,
    reply: z.object({
      version: z.string(),
      electron: z.string(),
      chrome: z.string(),
      node: z.string(),
      dataDir: z.string(),
      systemLanguage: z.enum(['en', 'zh']),
    }),
  },
  /** what a person typed but has not sent, so that neither a reload nor a crash loses it */
  'drafts-read': { request: nothing, reply: z.record(z.string(), z.string()) },
  'drafts-write': { request: z.object({ key: z.string().max(200), text: z.string().max(100_000) }), reply: nothing },
} as const satisfies Record<IpcChannel, { request: z.ZodType; reply: z.ZodType }>;

export type IpcRequest<C extends IpcChannel> = z.infer<(typeof ipcContract)[C]['request']>;
export type IpcReply<C extends IpcChannel> = z.infer<(typeof ipcContract)[C]['reply']>;

/** Event → payload. */
export const ipcEventContract = {
  'process-change': processViewSchema,
  'studio-trouble': z.array(studioTroubleSchema),
  'settings-change': settingsSchema,
} as const satisfies Record<IpcEvent, z.ZodType>;
export type IpcPayload<E extends IpcEvent> = z.infer<(typeof ipcEventContract)[E]>;
