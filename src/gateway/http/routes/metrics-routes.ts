import { Hono } from 'hono';
import type { Status } from '../../../shared/wire/rl';
import type { EngineCalls } from '../../platform/engine-http';
import type { Metrics } from '../../platform/metrics';
import type { ReceiptStore } from '../../store/receipts';
import type { SessionStore } from '../../store/sessions';
import { requireAdmin } from '../auth';
import { errorResponse } from '../error-response';

export interface MetricsRoutesPorts {
  readonly adminKey: string;
  readonly metrics: Metrics;
  readonly sessions: SessionStore;
  readonly receipts: ReceiptStore;
  readonly status: () => Status;
  readonly engineCalls: () => EngineCalls;
}

/** `GET /metrics` (admin) in Prometheus' text format. Everything but the request counts is read when it is asked for. */
export function metricsRoutes(ports: MetricsRoutesPorts): Hono {
  describeGauges(ports);
  const routes = new Hono();
  routes.get('/metrics', async (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    return new Response(await ports.metrics.text(), { headers: { 'content-type': ports.metrics.contentType } });
  });
  return routes;
}

function describeGauges({ metrics, sessions, receipts, status, engineCalls }: MetricsRoutesPorts): void {
  const one = (value: number | null) => [{ labels: {}, value }];
  metrics.gauge('plaudit_sessions', 'Sessions by source and state.', ['source', 'state'], () =>
    (['human', 'agent'] as const).flatMap((source) =>
      (['open', 'ended'] as const).map((state) => ({
        labels: { source, state },
        value: sessions.count({ source, state }),
      })),
    ),
  );
  metrics.gauge('plaudit_interactions_running', 'Completions being sampled.', [], () => one(status().engine.running));
  metrics.gauge('plaudit_served_version', 'Weight version that answers; absent before the engine did.', [], () =>
    one(status().served_version),
  );
  metrics.gauge('plaudit_trained_version', 'Newest weight version the trainer has committed.', [], () =>
    one(status().trained_version),
  );
  metrics.gauge('plaudit_engine_serving', '1 while the engine answers.', [], () =>
    one(status().engine.state === 'serving' ? 1 : 0),
  );
  metrics.gauge(
    'plaudit_engine_calls',
    'Calls of the engine: open at it, and waiting for one of the connections to it.',
    ['state'],
    () => Object.entries(engineCalls()).map(([state, value]) => ({ labels: { state }, value })),
  );
  metrics.gauge('plaudit_trainer_state', '1 for the state the trainer is in.', ['state'], () => [
    { labels: { state: status().trainer.state }, value: 1 },
  ]);
  metrics.gauge('plaudit_batch_trajectories', 'The next batch: its size and what is ready for it.', ['kind'], () => {
    const { batch } = status();
    return [
      { labels: { kind: 'size' }, value: batch.size },
      { labels: { kind: 'filled' }, value: batch.filled },
      { labels: { kind: 'open-rated' }, value: batch.open_rated },
    ];
  });
  metrics.gauge(
    'plaudit_capacity',
    'The admission guard: what its formula is made of, and what it allows.',
    ['kind'],
    () => {
      const { capacity } = status();
      if (capacity === undefined) return [];
      const { admission: _mode, gated, ...numbers } = capacity;
      return [
        { labels: { kind: 'gated' }, value: gated ? 1 : 0 },
        ...Object.entries(numbers).map(([kind, value]) => ({ labels: { kind }, value })),
      ];
    },
  );
  metrics.gauge('plaudit_ratings', 'Ratings by what became of them.', ['state'], () => {
    const counts = receipts.counts();
    const sum = (groups: readonly { readonly count: number }[]): number =>
      groups.reduce((total, group) => total + group.count, 0);
    return [
      { labels: { state: 'waiting' }, value: counts.waiting },
      { labels: { state: 'in-batch' }, value: sum(counts.in_batch) },
      { labels: { state: 'trained' }, value: sum(counts.trained) },
      { labels: { state: 'dropped' }, value: sum(counts.dropped) },
    ];
  });
  metrics.gauge('plaudit_trouble', 'Troubles shown in the status bar.', ['kind'], () =>
    [...new Set(status().trouble.map(({ kind }) => kind))].map((kind) => ({ labels: { kind }, value: 1 })),
  );
}
