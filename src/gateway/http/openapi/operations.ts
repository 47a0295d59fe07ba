import { z } from 'zod';
import {
  countTokensReplySchema,
  countTokensRequestSchema,
  messageSchema,
  messagesRequestSchema,
} from '../../../shared/wire/anthropic-messages';
import { chatCompletionRequestSchema, chatCompletionSchema } from '../../../shared/wire/openai-chat';
import {
  responseDeletedSchema,
  responseInputTokensSchema,
  responseRequestSchema,
  responseSchema,
} from '../../../shared/wire/openai-responses';
import {
  batchDecisionReplySchema,
  endSessionReplySchema,
  exportRequestSchema,
  interactionViewSchema,
  receiptsSchema,
  rewardViewSchema,
  sessionDetailSchema,
  sessionsSchema,
  setRewardReplySchema,
  setRewardRequestSchema,
  startSessionReplySchema,
  startSessionRequestSchema,
  statusSchema,
  trainingMetricsSchema,
  versionsSchema,
  withdrawRewardReplySchema,
} from '../../../shared/wire/rl';
import { groupStatisticsSchema } from '../../../shared/wire/statistics';
import { trainingSettingsSchema } from '../../../shared/wire/trainer';
import {
  trajectoryFileSchema,
  trajectoryFilesSchema,
  trajectoryRowsSchema,
} from '../../../shared/wire/trajectory-files';
import type { Operation } from './operation';

const STREAM = 'text/event-stream';

/** One route under several paths. */
function under(paths: readonly string[], operation: Omit<Operation, 'path'>): Operation[] {
  return paths.map((path) => ({ ...operation, path }));
}

const CHAT: readonly Operation[] = [
  ...under(['/chat/completions', '/v1/chat/completions'], {
    method: 'post',
    tag: 'chat',
    summary: 'OpenAI chat completion; recorded token by token',
    key: 'session',
    request: chatCompletionRequestSchema,
    reply: chatCompletionSchema,
    media: STREAM,
    refusals: [400, 502, 503, 507],
  }),
  ...under(['/responses', '/v1/responses'], {
    method: 'post',
    tag: 'chat',
    summary: 'OpenAI response',
    key: 'session',
    request: responseRequestSchema,
    reply: responseSchema,
    media: STREAM,
    refusals: [400, 404, 502, 503, 507],
  }),
  ...under(['/responses/input_tokens', '/v1/responses/input_tokens'], {
    method: 'post',
    tag: 'chat',
    summary: 'Exact prompt tokens of a response; nothing is sampled',
    key: 'session',
    request: responseRequestSchema,
    reply: responseInputTokensSchema,
    refusals: [400, 404],
  }),
  ...under(['/responses/{id}', '/v1/responses/{id}'], {
    method: 'get',
    tag: 'chat',
    summary: 'A stored response',
    key: 'session',
    reply: responseSchema,
    refusals: [404],
  }),
  ...under(['/responses/{id}', '/v1/responses/{id}'], {
    method: 'delete',
    tag: 'chat',
    summary: 'Forget a response; what was recorded for training stays',
    key: 'session',
    reply: responseDeletedSchema,
    refusals: [404],
  }),
  ...under(['/messages', '/v1/messages'], {
    method: 'post',
    tag: 'chat',
    summary: 'Anthropic message',
    key: 'session',
    request: messagesRequestSchema,
    reply: messageSchema,
    media: STREAM,
    refusals: [400, 502, 503, 507],
  }),
  ...under(['/messages/count_tokens', '/v1/messages/count_tokens'], {
    method: 'post',
    tag: 'chat',
    summary: 'Exact prompt tokens of an Anthropic message; nothing is sampled',
    key: 'session',
    request: countTokensRequestSchema,
    reply: countTokensReplySchema,
    refusals: [400],
  }),
  ...under(['/models', '/v1/models'], {
    method: 'get',
    tag: 'chat',
    summary: 'The one model served',
    key: 'none',
    reply: z.looseObject({ object: z.literal('list'), data: z.array(z.looseObject({ id: z.string() })) }),
  }),
];

const SESSIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/rl/start_session',
    tag: 'sessions',
    summary: 'Start a session, or refresh one under its key',
    key: 'admin',
    request: startSessionRequestSchema,
    reply: startSessionReplySchema,
    refusals: [400, 409],
  },
  {
    method: 'post',
    path: '/rl/end_session',
    tag: 'sessions',
    summary: 'End the session of the key',
    key: 'session',
    reply: endSessionReplySchema,
  },
  {
    method: 'get',
    path: '/rl/sessions',
    tag: 'sessions',
    summary: 'Sessions, newest first',
    key: 'admin',
    query: { state: 'open or ended', source: 'human or agent', limit: '1 to 1000', offset: 'from 0' },
    reply: sessionsSchema,
  },
  {
    method: 'get',
    path: '/rl/sessions/{id}',
    tag: 'sessions',
    summary: 'One session with its interactions',
    key: 'admin',
    reply: sessionDetailSchema,
    refusals: [404],
  },
  {
    method: 'post',
    path: '/rl/sessions/{id}/end',
    tag: 'sessions',
    summary: 'End a session by its id',
    key: 'admin',
    reply: endSessionReplySchema,
    refusals: [404],
  },
];

const REWARDS: readonly Operation[] = [
  {
    method: 'post',
    path: '/rl/set_reward',
    tag: 'rewards',
    summary: 'Rate an answer by id, or the last finished one',
    key: 'either',
    request: setRewardRequestSchema,
    reply: setRewardReplySchema,
    refusals: [400, 404, 409],
  },
  {
    method: 'get',
    path: '/rl/interactions/{id}',
    tag: 'rewards',
    summary: 'One answer with every token, its log-probability and version',
    key: 'admin',
    reply: interactionViewSchema,
    refusals: [404],
  },
  {
    method: 'get',
    path: '/rl/interactions/{id}/reward',
    tag: 'rewards',
    summary: 'Its rating, where it stands, and its history',
    key: 'either',
    reply: rewardViewSchema,
    refusals: [404],
  },
  {
    method: 'delete',
    path: '/rl/interactions/{id}/reward',
    tag: 'rewards',
    summary: 'Withdraw a rating that no batch holds',
    key: 'either',
    reply: withdrawRewardReplySchema,
    refusals: [404, 409],
  },
  {
    method: 'get',
    path: '/rl/receipts',
    tag: 'rewards',
    summary: 'What became of every rating',
    key: 'admin',
    query: { limit: '0 to 5000' },
    reply: receiptsSchema,
  },
];

const TRAJECTORIES: readonly Operation[] = [
  {
    method: 'post',
    path: '/export_trajectories',
    tag: 'trajectories',
    summary: "A session in AReaL's tensor form",
    key: 'admin',
    request: exportRequestSchema,
    reply: z.looseObject({ interactions: z.record(z.string(), z.unknown()) }),
    refusals: [400, 404, 409],
  },
  {
    method: 'get',
    path: '/rl/trajectory_files',
    tag: 'trajectories',
    summary: 'Dumps that are open',
    key: 'admin',
    reply: trajectoryFilesSchema,
  },
  {
    method: 'get',
    path: '/rl/trajectory_files/{id}',
    tag: 'trajectories',
    summary: 'One open dump',
    key: 'admin',
    reply: trajectoryFileSchema,
    refusals: [404],
  },
  {
    method: 'get',
    path: '/rl/trajectory_files/{id}/records',
    tag: 'trajectories',
    summary: 'A page of its records',
    key: 'admin',
    query: { offset: 'from 0', limit: '1 to 500', summary: '1 = without the long fields' },
    reply: trajectoryRowsSchema,
    refusals: [404],
  },
  {
    method: 'get',
    path: '/rl/trajectory_files/{id}/statistics',
    tag: 'trajectories',
    summary: 'Group statistics of a dump',
    key: 'admin',
    reply: groupStatisticsSchema,
    refusals: [404],
  },
  {
    method: 'get',
    path: '/rl/statistics',
    tag: 'trajectories',
    summary: 'Group statistics of this run',
    key: 'admin',
    reply: groupStatisticsSchema,
  },
];

const TRAINING: readonly Operation[] = [
  {
    method: 'get',
    path: '/rl/versions',
    tag: 'training',
    summary: 'Weight versions, oldest first',
    key: 'admin',
    reply: versionsSchema,
  },
  {
    method: 'get',
    path: '/rl/training_metrics',
    tag: 'training',
    summary: 'What the trainer measured, batch by batch',
    key: 'admin',
    reply: trainingMetricsSchema,
  },
  {
    method: 'post',
    path: '/rl/batches/{id}/retry',
    tag: 'training',
    summary: 'Let the ratings of a batch that was set aside wait for a batch again',
    key: 'admin',
    reply: batchDecisionReplySchema,
    refusals: [404],
  },
  {
    method: 'post',
    path: '/rl/batches/{id}/dismiss',
    tag: 'training',
    summary: 'Leave the ratings of a batch that was set aside untrained',
    key: 'admin',
    reply: batchDecisionReplySchema,
    refusals: [404],
  },
  {
    method: 'get',
    path: '/rl/training_settings',
    tag: 'training',
    summary: 'What of the algorithm may change within a run, as it is now',
    key: 'admin',
    reply: trainingSettingsSchema,
  },
  {
    method: 'post',
    path: '/rl/training_settings',
    tag: 'training',
    summary: 'Change it, from the next batch on',
    key: 'admin',
    request: trainingSettingsSchema.partial(),
    reply: trainingSettingsSchema,
  },
];

const SERVICE: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    tag: 'service',
    summary: 'Liveness',
    key: 'none',
    reply: z.object({ status: z.literal('ok'), workers: z.number().int() }),
  },
  {
    method: 'get',
    path: '/rl/status',
    tag: 'service',
    summary: 'Engine, trainer, batch, version and trouble',
    key: 'admin',
    reply: statusSchema,
  },
  {
    method: 'get',
    path: '/rl/events',
    tag: 'service',
    summary: 'Live hints to read again, as server-sent events',
    key: 'admin',
    reply: null,
    media: STREAM,
  },
  {
    method: 'get',
    path: '/metrics',
    tag: 'service',
    summary: 'Numbers for Prometheus',
    key: 'admin',
    reply: null,
    media: 'text/plain',
  },
  {
    method: 'get',
    path: '/openapi.json',
    tag: 'service',
    summary: 'This document',
    key: 'none',
    reply: z.looseObject({ openapi: z.string() }),
  },
];

/** Every route of the gateway; a test compares the list with the routes themselves. */
export const OPERATIONS: readonly Operation[] = [
  ...CHAT,
  ...SESSIONS,
  ...REWARDS,
  ...TRAJECTORIES,
  ...TRAINING,
  ...SERVICE,
];
