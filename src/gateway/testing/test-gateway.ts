import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byteLevelTokenizer, TINY_SPECIALS, tinyTokenizerConfig } from '../../embedded/model/testing/tiny-tokenizer';
import type { BackendStatus, GenerateTask } from '../backends/backend';
import { ScriptedBackend, type ScriptStep } from '../backends/scripted/scripted-backend';
import { createGateway, type EngineLocator, type Gateway, type TrainerLink } from '../compose';
import { type GatewayConfigInput, parseGatewayConfig } from '../config';
import type { Clock } from '../platform/clock';
import { type Logger, silentLogger } from '../platform/logger';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';

export const ADMIN_KEY = 'test-admin-key';
export const CONTEXT_LENGTH = 256;

/** No supervised process is there. */
export const noEngine: EngineLocator = { current: () => null, subscribe: () => () => undefined };
export const noTrainer: TrainerLink = { send: () => false, subscribe: () => () => undefined };

export interface TestGateway {
  readonly gateway: Gateway;
  readonly backend: ScriptedBackend;
  readonly dataDir: string;
  /** the gateway's own, with what it keeps of conversations */
  readonly tokenizer: ChatTokenizer;
  /** what the engine was asked, in order */
  readonly tasks: GenerateTask[];
  /** Calls the app with JSON; `key` goes into a bearer header, null sends none. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Starts a session and returns its key and id. */
  startSession(fields?: Record<string, unknown>): Promise<{ readonly key: string; readonly id: string }>;
  /** Asks for an answer to one user message, whole; returns the parsed body. */
  chat(key: string, content: string, fields?: Record<string, unknown>): Promise<ChatReply>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface ChatReply {
  readonly status: number;
  readonly id: string;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** What a test may want to be different about the tiny model. */
export interface TinyModel {
  /** decides the answer format, too */
  readonly chatTemplate?: string;
  readonly contextLength?: number;
}

/** Writes a model folder whose tokens are bytes. */
export function writeTinyTokenizer(folder: string, { chatTemplate, contextLength }: TinyModel = {}): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(byteLevelTokenizer()));
  writeFileSync(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({
      ...tinyTokenizerConfig(),
      ...(chatTemplate === undefined ? {} : { chat_template: chatTemplate }),
    }),
  );
  const config = {
    max_position_embeddings: contextLength ?? CONTEXT_LENGTH,
    vocab_size: 259,
    eos_token_id: TINY_SPECIALS.imEnd,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

/** A composed gateway over a scripted backend; by default every answer is `ok`. */
export function createTestGateway(
  options: {
    readonly script?: (task: GenerateTask, index: number) => readonly ScriptStep[];
    readonly config?: Partial<GatewayConfigInput>;
    /** what the engine can do beyond sampling; default: nothing */
    readonly supports?: BackendStatus['supports'];
    readonly clock?: Clock;
    readonly logger?: Logger;
    /** default: no trainer runs */
    readonly trainerLink?: TrainerLink;
    /** an earlier gateway's folder: a restart */
    readonly dataDir?: string;
    readonly model?: TinyModel;
  } = {},
): TestGateway {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'gateway-'));
  const modelPath = join(dataDir, 'tiny-model');
  writeTinyTokenizer(modelPath, options.model);
  const tasks: GenerateTask[] = [];
  let scripted: ScriptedBackend | undefined;
  let tokenizer: ChatTokenizer | undefined;
  const gateway = createGateway(
    parseGatewayConfig({ dataDir, modelPath, adminKey: ADMIN_KEY, port: 0, ...options.config }),
    {
      engineLocator: noEngine,
      trainerLink: options.trainerLink ?? noTrainer,
      logger: options.logger ?? silentLogger,
      clock: options.clock,
      createBackend: (loaded) => {
        tokenizer = loaded;
        scripted = new ScriptedBackend({
          encode: (text) => loaded.encode(text),
          stopTokenId: TINY_SPECIALS.imEnd,
          contextLength: options.model?.contextLength ?? CONTEXT_LENGTH,
          supports: options.supports,
          script: (task, index) => {
            tasks.push(task);
            return options.script?.(task, index) ?? [{ kind: 'text', text: 'ok' }];
          },
        });
        return scripted;
      },
    },
  );
  if (scripted === undefined || tokenizer === undefined) throw new Error('the gateway made no backend');

  const call = (method: string, path: string, { key, body, headers, signal }: CallOptions = {}): Promise<Response> =>
    Promise.resolve(
      gateway.app.request(path, {
        method,
        signal,
        headers: {
          ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );

  return {
    gateway,
    backend: scripted,
    dataDir,
    tokenizer,
    tasks,
    call,
    startSession: async (fields = {}) => {
      const reply = await call('POST', '/rl/start_session', { key: ADMIN_KEY, body: { task_id: 'task', ...fields } });
      if (reply.status !== 200) throw new Error(await reply.text());
      const { session_id: id, api_key: key } = (await reply.json()) as { session_id: string; api_key: string };
      return { id, key };
    },
    chat: async (key, content, fields = {}) => {
      const messages = [{ role: 'user', content }];
      const reply = await call('POST', '/v1/chat/completions', { key, body: { model: 'm', messages, ...fields } });
      const body = (await reply.json()) as Record<string, unknown>;
      const choices = body.choices as { message: { content: string } }[] | undefined;
      return { status: reply.status, id: String(body.id), text: choices?.[0]?.message.content ?? '', body };
    },
    close: async () => {
      await gateway.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
