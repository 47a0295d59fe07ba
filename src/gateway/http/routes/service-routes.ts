import { Hono } from 'hono';
import type { GatewayEvent } from '../../../shared/wire/events';
import type { Status } from '../../../shared/wire/rl';
import { AsyncQueue } from '../../platform/async-queue';
import type { Clock } from '../../platform/clock';
import type { EventHub } from '../../platform/event-hub';
import { refusal } from '../../platform/refusal';
import type { Database } from '../../store/database';
import { dismissRecovery } from '../../store/recovery';
import { requireAdmin } from '../auth';
import { errorResponse } from '../error-response';
import { eventStream } from '../sse';

export interface ServiceRoutesPorts {
  readonly adminKey: string;
  readonly modelName: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly database: Database;
  readonly events: EventHub;
  /** aborted when the gateway closes; open event streams then end */
  readonly closing: AbortSignal;
  readonly status: () => Status;
}

const KEEP_ALIVE_MS = 15_000;
/** A reader that is this many events behind reads nothing: its stream ends, and it can connect and read again. */
const MOST_WAITING = 1000;

/** Liveness, the model list, the status line and the event stream. */
export function serviceRoutes(ports: ServiceRoutesPorts): Hono {
  const routes = new Hono();

  routes.get('/health', (context) => context.json({ status: 'ok', workers: 1 }));

  for (const path of ['/models', '/v1/models'])
    routes.get(path, (context) => {
      const created = Math.floor(ports.startedAt / 1000);
      const model = { id: ports.modelName, object: 'model', created, owned_by: 'plaudit' };
      return context.json({ object: 'list', data: [model] });
    });

  routes.get('/rl/status', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    return admin.ok ? context.json(ports.status()) : errorResponse(admin.error);
  });

  routes.delete('/rl/recovery', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    if (!dismissRecovery(ports.database))
      return errorResponse(refusal('not-found', 'There is no recovery to take note of.'));
    ports.events.publish({ kind: 'trouble-change' });
    return context.json({ message: 'success' });
  });

  routes.get('/rl/events', (context) => {
    const admin = requireAdmin(context.req.raw, ports.adminKey);
    return admin.ok ? streamEvents(ports) : errorResponse(admin.error);
  });

  return routes;
}

function streamEvents({ events, clock, closing }: ServiceRoutesPorts): Response {
  const queue = new AsyncQueue<string>();
  queue.push(': connected\n\n');
  const unsubscribe = events.subscribe((event) => {
    if (queue.length < MOST_WAITING) queue.push(toFrame(event));
    else stop();
  });
  const stopKeepAlive = clock.every(KEEP_ALIVE_MS, () => queue.push(': keep-alive\n\n'));
  const stop = (): void => {
    unsubscribe();
    stopKeepAlive();
    closing.removeEventListener('abort', stop);
    queue.end();
  };
  closing.addEventListener('abort', stop, { once: true });
  if (closing.aborted) stop();
  return eventStream(queue[Symbol.asyncIterator](), stop);
}

function toFrame(event: GatewayEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
