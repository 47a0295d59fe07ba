import { Hono } from 'hono';
import type { Clock } from '../platform/clock';
import { errorText, type Logger } from '../platform/logger';
import type { Metrics } from '../platform/metrics';
import type { RandomSource } from '../platform/random';
import { refusal } from '../platform/refusal';
import type { Database } from '../store/database';
import { toStoreRefusal } from '../store/store-refusal';
import { durableReply } from './durable-reply';
import { errorResponse } from './error-response';
import { hostGuard, originGuard } from './guards';
import { rateLimit } from './rate-limit';
import { requestIdOf, requestLog } from './request-log';

export interface AppPorts {
  readonly boundHost: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** of one key; 0 = no limit */
  readonly requestsPerSecond: number;
  readonly adminKey: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  readonly database: Database;
  readonly metrics: Metrics;
}

/** Joins the routes behind the guards. Every answer that is not a success has the same JSON body. */
export function createApp(ports: AppPorts, routes: readonly Hono[]): Hono {
  const app = new Hono();
  app.use(requestLog(ports));
  app.use(durableReply(ports.database));
  app.use(hostGuard(ports.boundHost, ports.allowedHosts));
  app.use(originGuard(ports.allowedOrigins));
  app.use(rateLimit(ports.requestsPerSecond, ports.adminKey, ports.clock));
  for (const group of routes) app.route('/', group);

  app.notFound((context) => {
    const allowed = allowedMethods(app, context.req.path);
    if (allowed.length === 0)
      return errorResponse(refusal('not-found', `Not Found: ${context.req.method} ${context.req.path} is no route.`));
    const message = `Method Not Allowed: ${context.req.path} answers ${allowed.join(', ')}, not ${context.req.method}.`;
    return errorResponse(refusal('method-not-allowed', message), { allow: allowed.join(', ') });
  });

  app.onError((error, context) => {
    ports.logger.log('error', 'request-failed', { request_id: requestIdOf(context), error: errorText(error) });
    return errorResponse(toStoreRefusal(error));
  });

  return app;
}

function allowedMethods(app: Hono, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.method !== 'ALL' && toPattern(route.path).test(path))
    .map((route) => route.method);
  return [...new Set(methods)];
}

function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+')}$`);
}
