import { Hono } from 'hono';
import { sessionId } from '../../../shared/domain/ids';
import { exportRequestSchema } from '../../../shared/wire/rl';
import { exportTrajectories } from '../../actions/export-trajectories';
import { type TakePorts, takeTrajectories } from '../../actions/take-session';
import type { SessionManager } from '../../sessions/session-manager';
import { requireWorkerAdmin } from '../auth';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface ExportRoutesPorts extends TakePorts {
  readonly manager: Pick<SessionManager, 'isKnownOutside'>;
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
}

/** AReaL's worker route: a wrong key answers 403 here, a missing one 401. */
export function exportRoutes(ports: ExportRoutesPorts): Hono {
  const routes = new Hono();
  routes.post('/export_trajectories', async (context) => {
    const request = context.req.raw;
    const admin = requireWorkerAdmin(request, ports.adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const body = await readJson(request, exportRequestSchema, ports.bodyLimitBytes);
    if (!body.ok) return errorResponse(body.error);
    const { session_id, discount, style, discount_mode, drop_retry_orphans, mode } = body.value;
    const id = sessionId(session_id);
    const asked = {
      sessionId: id,
      discount,
      style,
      discountMode: discount_mode ?? null,
      dropRetryOrphans: drop_retry_orphans,
    };
    const isTake = (mode ?? (ports.manager.isKnownOutside(id) ? 'take' : 'peek')) === 'take';
    const exported = isTake ? await takeTrajectories(ports, asked, request.signal) : exportTrajectories(ports, asked);
    if (!exported.ok) return errorResponse(exported.error);
    const { interactions, leftOut, distorted } = exported.value;
    // AReaL's clients read by key: what they do not know does not disturb them.
    return context.json({
      interactions,
      ...(Object.keys(leftOut).length === 0 ? {} : { left_out: leftOut }),
      ...(distorted.length === 0 ? {} : { distorted }),
    });
  });
  return routes;
}
