import type { z } from 'zod';
import type { Result } from '../../shared/lib/result';
import { responseInputTokensSchema } from '../../shared/wire/openai-responses';
import {
  batchDecisionReplySchema,
  endSessionReplySchema,
  interactionViewSchema,
  noteRecoveryReplySchema,
  receiptsSchema,
  sessionDetailSchema,
  sessionsSchema,
  setRewardReplySchema,
  type setRewardRequestSchema,
  startSessionReplySchema,
  type startSessionRequestSchema,
  statusSchema,
  trainingMetricsSchema,
  versionsSchema,
  withdrawRewardReplySchema,
} from '../../shared/wire/rl';
import { groupStatisticsSchema } from '../../shared/wire/statistics';
import { trajectoryFilesSchema, trajectoryRowsSchema } from '../../shared/wire/trajectory-files';
import { type ChatMessage, type ChatRequest, type ChatStream, openChatStream } from './chat-stream';
import type { GatewayProblem } from './gateway-problem';
import type { GatewayTransport } from './gateway-request';

export type Reply<T> = Promise<Result<T, GatewayProblem>>;
type Of<S extends z.ZodType> = Reply<z.infer<S>>;

/** One method per gateway route the studio uses. Refusals are values; only bugs throw. */
export function createGatewayClient(transport: GatewayTransport) {
  const { call } = transport;
  const id = encodeURIComponent;
  return {
    status: (signal?: AbortSignal): Of<typeof statusSchema> =>
      call({ path: '/rl/status', schema: statusSchema, signal }),
    receipts: (limit: number, signal?: AbortSignal): Of<typeof receiptsSchema> =>
      call({ path: '/rl/receipts', query: { limit }, schema: receiptsSchema, signal }),
    versions: (signal?: AbortSignal): Of<typeof versionsSchema> =>
      call({ path: '/rl/versions', schema: versionsSchema, signal }),
    trainingMetrics: (signal?: AbortSignal): Of<typeof trainingMetricsSchema> =>
      call({ path: '/rl/training_metrics', schema: trainingMetricsSchema, signal }),
    /** Of a batch in the status's `set_aside`: its ratings wait for a batch again, or stay untrained. */
    decideBatch: (batchId: number, decision: 'retry' | 'dismiss'): Of<typeof batchDecisionReplySchema> =>
      call({
        method: 'POST',
        path: `/rl/batches/${batchId}/${decision}`,
        body: {},
        schema: batchDecisionReplySchema,
      }),

    /** The line about a damaged database goes. */
    noteRecovery: (): Of<typeof noteRecoveryReplySchema> =>
      call({ method: 'DELETE', path: '/rl/recovery', schema: noteRecoveryReplySchema }),

    sessions: (
      query: { state?: 'open' | 'ended'; source?: 'human' | 'agent'; limit?: number; offset?: number },
      signal?: AbortSignal,
    ): Of<typeof sessionsSchema> => call({ path: '/rl/sessions', query, schema: sessionsSchema, signal }),
    session: (sessionId: string, signal?: AbortSignal): Of<typeof sessionDetailSchema> =>
      call({ path: `/rl/sessions/${id(sessionId)}`, schema: sessionDetailSchema, signal }),
    interaction: (interactionId: string, signal?: AbortSignal): Of<typeof interactionViewSchema> =>
      call({ path: `/rl/interactions/${id(interactionId)}`, schema: interactionViewSchema, signal }),

    startSession: (body: z.input<typeof startSessionRequestSchema>): Of<typeof startSessionReplySchema> =>
      call({ method: 'POST', path: '/rl/start_session', body, schema: startSessionReplySchema }),
    /** With the admin token, so always by interaction id: also after the session's end, until a batch holds it. */
    setReward: (
      body: z.input<typeof setRewardRequestSchema> & { interaction_id: string },
    ): Of<typeof setRewardReplySchema> =>
      call({ method: 'POST', path: '/rl/set_reward', body, schema: setRewardReplySchema }),
    withdrawReward: (interactionId: string): Of<typeof withdrawRewardReplySchema> =>
      call({
        method: 'DELETE',
        path: `/rl/interactions/${id(interactionId)}/reward`,
        schema: withdrawRewardReplySchema,
      }),
    endSession: (sessionId: string): Of<typeof endSessionReplySchema> =>
      call({ method: 'POST', path: `/rl/sessions/${id(sessionId)}/end`, body: {}, schema: endSessionReplySchema }),

    trajectoryFiles: (signal?: AbortSignal): Of<typeof trajectoryFilesSchema> =>
      call({ path: '/rl/trajectory_files', schema: trajectoryFilesSchema, signal }),
    trajectoryRows: (
      fileId: string,
      query: { offset: number; limit: number; summary?: 1; bad?: 1 },
      signal?: AbortSignal,
    ): Of<typeof trajectoryRowsSchema> =>
      call({ path: `/rl/trajectory_files/${id(fileId)}/records`, query, schema: trajectoryRowsSchema, signal }),
    trajectoryStatistics: (fileId: string, signal?: AbortSignal): Of<typeof groupStatisticsSchema> =>
      call({ path: `/rl/trajectory_files/${id(fileId)}/statistics`, schema: groupStatisticsSchema, signal }),

    /** Tokens that the messages would take as a prompt; nothing is sampled and nothing is stored. */
    countTokens: (key: string, model: string, messages: readonly ChatMessage[]): Of<typeof responseInputTokensSchema> =>
      call({
        method: 'POST',
        path: '/v1/responses/input_tokens',
        key,
        body: { model, input: messages.map(({ role, content }) => ({ role, content })) },
        schema: responseInputTokensSchema,
      }),
    /** A streamed completion under a session's key; ends when the answer does or the signal aborts. */
    chat: (request: ChatRequest): Reply<ChatStream> => openChatStream(transport, request),
    /** `GET /rl/events`: the raw response, read by the event stream. */
    events: (signal: AbortSignal): Reply<Response> => transport.open({ path: '/rl/events', signal }),
  };
}

export type GatewayClient = ReturnType<typeof createGatewayClient>;
