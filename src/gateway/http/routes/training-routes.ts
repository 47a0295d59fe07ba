import { Hono } from 'hono';
import { z } from 'zod';
import { type TrainingSettings, trainingSettingsSchema } from '../../../shared/wire/trainer';
import { refusal } from '../../platform/refusal';
import type { MetricsStore } from '../../store/metrics';
import type { ReceiptStore } from '../../store/receipts';
import type { VersionStore } from '../../store/versions';
import { requireAdmin } from '../auth';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface TrainingRoutesPorts {
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
  readonly receipts: ReceiptStore;
  readonly versions: VersionStore;
  readonly metrics: MetricsStore;
  readonly training: TrainingControl;
}

/** What a person may decide about training; the coordinator is one. */
export interface TrainingControl {
  /** false = no such batch is set aside */
  retryBatch(batchId: number): boolean;
  /** false = no such batch is set aside */
  dismissBatch(batchId: number): boolean;
  settings(): TrainingSettings;
  changeSettings(settings: Partial<TrainingSettings>): void;
}

const batchIdSchema = z.coerce.number().int().min(1);
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

  for (const [verb, decide] of [
    ['retry', (batchId: number) => ports.training.retryBatch(batchId)],
    ['dismiss', (batchId: number) => ports.training.dismissBatch(batchId)],
  ] as const)
    routes.post(`/rl/batches/:id/${verb}`, (context) => {
      const admin = requireAdmin(context.req.raw, ports.adminKey);
      if (!admin.ok) return errorResponse(admin.error);
      const id = batchIdSchema.safeParse(context.req.param('id'));
      if (id.success && decide(id.data)) return context.json({ message: 'success', batch_id: id.data });
      return errorResponse(
        refusal('not-found', 'No batch of this number is set aside; GET /rl/status lists those that are in set_aside.'),
      );
    });

  routes.get('/rl/training_settings', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    return admin.ok ? context.json(ports.training.settings()) : errorResponse(admin.error);
  });

  routes.post('/rl/training_settings', async (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const body = await readJson(context.req.raw, trainingSettingsSchema.partial(), ports.bodyLimitBytes);
    if (!body.ok) return errorResponse(body.error);
    ports.training.changeSettings(body.value);
    return context.json(ports.training.settings());
  });

  return routes;
}
