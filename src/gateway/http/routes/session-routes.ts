import { Hono } from 'hono';
import { z } from 'zod';
import { sessionId } from '../../../shared/domain/ids';
import { startSessionRequestSchema } from '../../../shared/wire/rl';
import { type ReadSessionsPorts, readSession, readSessions } from '../../actions/read-sessions';
import { refusal } from '../../platform/refusal';
import type { SessionManager } from '../../sessions/session-manager';
import { readToken, requireAdmin } from '../auth';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface SessionRoutesPorts extends ReadSessionsPorts {
  readonly manager: SessionManager;
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
}

const listQuerySchema = z.object({
  state: z.enum(['open', 'ended']).optional(),
  source: z.enum(['human', 'agent', 'import']).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});

/** `/rl/start_session`, `/rl/end_session`, and the admin's view of sessions. */
export function sessionRoutes(ports: SessionRoutesPorts): Hono {
  const { manager, adminKey } = ports;
  const routes = new Hono();

  routes.post('/rl/start_session', async (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const body = await readJson(context.req.raw, startSessionRequestSchema, ports.bodyLimitBytes);
    if (!body.ok) return errorResponse(body.error);
    const { task_id, api_key, group_id, source, rater_id, turn_discount, discount_mode, unrated_policy, consumer } =
      body.value;
    const started = manager.start({
      taskId: task_id,
      apiKey: api_key === '' ? null : (api_key ?? null),
      groupId: group_id ?? null,
      source: source ?? 'agent',
      raterId: rater_id ?? null,
      turnDiscount: turn_discount ?? null,
      discountMode: discount_mode ?? null,
      unratedPolicy: unrated_policy ?? null,
      consumer: consumer ?? null,
    });
    if (!started.ok) return errorResponse(started.error);
    return context.json({ session_id: started.value.id, api_key: started.value.apiKey });
  });

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
    if (!query.success) return errorResponse(refusal('bad-body', query.error.issues[0]?.message ?? 'bad query'));
    const { state, source, limit, offset } = query.data;
    return context.json(readSessions(ports, { state, source }, { limit, offset }));
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

  return routes;
}
