import { Hono } from 'hono';
import { waitForSessionRequestSchema } from '../../../shared/wire/rl';
import { type Refusal, refusal } from '../../platform/refusal';
import type { SessionManager } from '../../sessions/session-manager';
import type { WaitOutcome } from '../../sessions/trainer-waiters';
import { requireAdmin, requireWorkerAdmin } from '../auth';
import { onDelivery } from '../delivery';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface ArealRoutesPorts {
  readonly manager: SessionManager;
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
}

const HANDOVERS = /^\/(internal\/wait_for_session|export_trajectories|rl\/start_session)(\?|$)/;

/**
 * Paths that hand a session over to who waits: in doubt whether anybody still does, nobody is given it. Answers to chat
 * calls can be asked for again; a session that was handed to nobody is trained by nobody.
 */
export function isHandover(path: string): boolean {
  return HANDOVERS.test(path);
}

/** What AReaL's trainer calls to have sessions collected for it: a slot is granted, then awaited. */
export function arealRoutes({ manager, adminKey, bodyLimitBytes }: ArealRoutesPorts): Hono {
  const routes = new Hono();

  // On AReaL's gateway, where a wrong key answers 401.
  routes.post('/internal/wait_for_session', async (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const body = await readJson(context.req.raw, waitForSessionRequestSchema, bodyLimitBytes);
    if (!body.ok) return errorResponse(body.error);
    const outcome = await manager.waitForSession(context.req.raw.signal);
    if (outcome.kind !== 'ended') return errorResponse(explainWait(outcome));
    const { id, apiKey } = outcome.session;
    onDelivery(context, (isWritten) => manager.noteHandover(id, isWritten));
    return context.json({ session_api_key: apiKey, session_id: id, worker_addr: body.value.worker_addr });
  });

  // On AReaL's worker, where a wrong key answers 403.
  routes.post('/grant_capacity', (context) => {
    const admin = requireWorkerAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    return context.json({ capacity: manager.grant() });
  });

  return routes;
}

function explainWait(outcome: Exclude<WaitOutcome, { kind: 'ended' }>): Refusal {
  switch (outcome.kind) {
    case 'timeout':
      return refusal('wait-timeout', 'Timeout waiting for session completion');
    case 'cancelled':
      return refusal('assignment-cancelled', 'Session assignment was cancelled');
    case 'failed':
      return refusal('internal', `Session failed: ${outcome.reason}`);
  }
}
