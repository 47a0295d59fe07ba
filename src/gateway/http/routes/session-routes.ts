import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { sessionId } from '../../../shared/domain/ids';
import type { Session } from '../../../shared/domain/session';
import { err, ok, type Result } from '../../../shared/lib/result';
import { startSessionRequestSchema } from '../../../shared/wire/rl';
import { type AbortPorts, abortSession } from '../../actions/abort-session';
import { type ReadSessionsPorts, readSession, readSessions } from '../../actions/read-sessions';
import { type Refusal, refusal } from '../../platform/refusal';
import type { SessionManager, SessionRequest } from '../../sessions/session-manager';
import { readToken, requireAdmin } from '../auth';
import { onDelivery } from '../delivery';
import { errorResponse } from '../error-response';
import { readJson, schemaRefusal } from '../read-json';

export interface SessionRoutesPorts extends ReadSessionsPorts, AbortPorts {
  readonly manager: SessionManager;
  readonly sessions: ReadSessionsPorts['sessions'];
  readonly rewards: ReadSessionsPorts['rewards'];
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
  /** of the answer to `/rl/start_session` when the request does not say */
  readonly startSessionShape: 'v1' | 'v2';
}

const listQuerySchema = z.object({
  state: z.enum(['open', 'ended']).optional(),
  source: z.enum(['human', 'agent', 'import']).optional(),
  task: z.string().optional(),
  group: z.string().optional(),
  consumer: z.enum(['plaudit', 'external']).optional(),
  end_reason: z.enum(['client', 'refresh', 'idle', 'abort', 'admin']).optional(),
  text: z.string().max(512).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});

/** `/rl/start_session`, `/rl/end_session`, and the admin's view of sessions. */
export function sessionRoutes(ports: SessionRoutesPorts): Hono {
  const { manager, adminKey } = ports;
  const routes = new Hono();

  routes.post('/rl/start_session', (context) => startSession(ports, context));

  routes.post('/rl/end_session', (context) => {
    const session = manager.authenticate(readToken(context.req.raw));
    if (!session.ok) return errorResponse(session.error);
    manager.end(session.value.id, 'client');
    return context.json({ message: 'success', interaction_count: ports.interactions.countOfSession(session.value.id) });
  });

  routes.get('/rl/sessions', (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const query = listQuerySchema.safeParse(context.req.query());
    if (!query.success) return errorResponse(schemaRefusal(query.error, 'query'));
    const { state, source, task, group, consumer, end_reason, text, limit, offset } = query.data;
    const filter = { state, source, taskId: task, groupId: group, consumer, endReason: end_reason, text };
    return context.json(readSessions(ports, filter, { limit, offset }));
  });

  routes.get('/rl/sessions/:id', (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const id = context.req.param('id');
    const session = readSession(ports, sessionId(id));
    return session === null ? errorResponse(refusal('not-found', `Session ${id} not found.`)) : context.json(session);
  });

  routes.post('/rl/sessions/:id/end', (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const id = sessionId(context.req.param('id'));
    if (ports.sessions.find(id) === null) return errorResponse(refusal('not-found', `Session ${id} not found.`));
    manager.end(id, 'admin');
    return context.json({ message: 'success', interaction_count: ports.interactions.countOfSession(id) });
  });

  routes.post('/rl/sessions/:id/abort', (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const id = sessionId(context.req.param('id'));
    const aborted = abortSession(ports, id);
    if (!aborted.ok) return errorResponse(aborted.error);
    const ratings = aborted.value.ratings.map(({ interactionId, reward, state, batchId, version, reason }) => ({
      interaction_id: interactionId,
      reward,
      state,
      batch_id: batchId,
      version,
      reason,
    }));
    const { ended, cancelled } = aborted.value;
    return context.json({ message: 'success', session_id: id, ended, cancelled, ratings });
  });

  return routes;
}

async function startSession(ports: SessionRoutesPorts, context: Context): Promise<Response> {
  const admin = requireAdmin(context.req.raw, ports.adminKey);
  if (!admin.ok) return errorResponse(admin.error);
  // Everything is checked before anything is consumed: a broken request must not use up a trainer's place.
  const body = await readJson(context.req.raw, startSessionRequestSchema, ports.bodyLimitBytes);
  if (!body.ok) return errorResponse(body.error);
  const plan = planStart(body.value, ports.startSessionShape);
  if (!plan.ok) return errorResponse(plan.error);
  const { request, size } = plan.value;
  if (plan.value.shape === 'v1') {
    const started = await ports.manager.start(request, context.req.raw.signal);
    if (!started.ok) return errorResponse(started.error);
    if (request.apiKey === null) endUntold(ports, context, [started.value]);
    return context.json({ session_id: started.value.id, api_key: started.value.apiKey });
  }
  const started = ports.manager.startGroup(request, size);
  if (!started.ok) return errorResponse(started.error);
  if (request.apiKey === null) endUntold(ports, context, started.value);
  const sessions = started.value.map(({ id, apiKey }) => ({ session_id: id, session_api_key: apiKey }));
  return context.json({ group_id: started.value[0]?.groupId, sessions }, 201);
}

/** Sessions whose new keys reached nobody are open for nobody: they would hold their places until the idle timeout. */
function endUntold({ manager }: SessionRoutesPorts, context: Context, sessions: readonly Session[]): void {
  onDelivery(context, (isWritten) => {
    if (isWritten) return;
    try {
      for (const { id } of sessions) manager.end(id, 'client');
    } catch {
      // The disk takes nothing now: the idle timeout ends them.
    }
  });
}

interface StartPlan {
  readonly shape: 'v1' | 'v2';
  readonly size: number;
  readonly request: SessionRequest;
}

function planStart(
  body: z.infer<typeof startSessionRequestSchema>,
  defaultShape: StartPlan['shape'],
): Result<StartPlan, Refusal> {
  const hasSize = typeof body.group_size === 'number';
  const shape = body.shape ?? (hasSize ? 'v2' : defaultShape);
  const size = body.group_size ?? 1;
  const apiKey = body.api_key === '' ? null : (body.api_key ?? null);
  if (size > 1 && (shape === 'v1' || apiKey !== null)) {
    const message = shape === 'v1' ? 'needs shape "v2"' : 'above 1 cannot go with api_key: a key has one session';
    return err(refusal('bad-body', `group_size: ${message}.`, 'group_size'));
  }
  const request: SessionRequest = {
    taskId: body.task_id,
    apiKey,
    groupId: body.group_id ?? null,
    source: body.source ?? 'agent',
    raterId: body.rater_id ?? null,
    turnDiscount: body.turn_discount ?? null,
    discountMode: body.discount_mode ?? null,
    unratedPolicy: body.unrated_policy ?? null,
    consumer: body.consumer ?? null,
  };
  return ok({ shape, size, request });
}
