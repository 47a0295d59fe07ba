import { Hono } from 'hono';
import { z } from 'zod';
import { refusal } from '../../platform/refusal';
import type { MetricsStore } from '../../store/metrics';
import type { ReceiptStore } from '../../store/receipts';
import type { VersionStore } from '../../store/versions';
import { requireAdmin } from '../auth';
import { errorResponse } from '../error-response';

export interface TrainingRoutesPorts {
  readonly adminKey: string;
  readonly receipts: ReceiptStore;
  readonly versions: VersionStore;
  readonly metrics: MetricsStore;
}

const limitSchema = z.coerce.number().int().min(0).max(5000).default(200);

/** What became of the ratings: receipts, versions, and what the trainer measured. */
export function trainingRoutes(ports: TrainingRoutesPorts): Hono {
  const routes = new Hono();

  routes.get('/rl/receipts', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const limit = limitSchema.safeParse(context.req.query('limit'));
    if (!limit.success)
      return errorResponse(refusal('bad-body', 'limit must be a whole number from 0 to 5000.', 'limit'));
    return context.json({ counts: ports.receipts.counts(), ratings: ports.receipts.list(limit.data) });
  });

  routes.get('/rl/versions', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    return admin.ok ? context.json({ versions: ports.versions.list() }) : errorResponse(admin.error);
  });

  routes.get('/rl/training_metrics', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    return admin.ok ? context.json({ batches: ports.metrics.list() }) : errorResponse(admin.error);
  });

  return routes;
}
