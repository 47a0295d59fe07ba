import { Hono } from 'hono';
import { sessionId } from '../../../shared/domain/ids';
import { exportRequestSchema } from '../../../shared/wire/rl';
import { type ExportPorts, exportTrajectories } from '../../actions/export-trajectories';
import { refusal } from '../../platform/refusal';
import { isAdmin, readToken } from '../auth';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface ExportRoutesPorts extends ExportPorts {
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
}

/** AReaL's worker route: a wrong key answers 403 here, a missing one 401. */
export function exportRoutes(ports: ExportRoutesPorts): Hono {
  const routes = new Hono();
  routes.post('/export_trajectories', async (context) => {
    const request = context.req.raw;
    if (readToken(request) === null)
      return errorResponse(
        refusal(
          'unauthorized',
          "Missing or malformed Authorization header. Expected 'Bearer <token>' or 'x-api-key: <token>'.",
        ),
      );
    if (!isAdmin(request, ports.adminKey)) return errorResponse(refusal('not-admin', 'Invalid admin API key.'));
    const body = await readJson(request, exportRequestSchema, ports.bodyLimitBytes);
    if (!body.ok) return errorResponse(body.error);
    const { session_id, discount, style } = body.value;
    const exported = exportTrajectories(ports, { sessionId: sessionId(session_id), discount, style });
    return exported.ok ? context.json({ interactions: exported.value }) : errorResponse(exported.error);
  });
  return routes;
}
