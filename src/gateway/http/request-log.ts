import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import type { Metrics } from '../platform/metrics';
import { type RandomSource, randomHex } from '../platform/random';

export interface RequestLogPorts {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const CALLERS_ID = /^[\w.:-]{1,128}$/;

/**
 * Gives each request an id (the caller's own `x-request-id` when it is a plain word), echoes it, counts and logs.
 *
 * Logged are the method, the route's pattern, status and time: no path, no query, no header, no body.
 */
export function requestLog(ports: RequestLogPorts): MiddlewareHandler {
  return async (context, next) => {
    const id = requestIdFor(context.req.header('x-request-id'), ports.random);
    context.set('requestId', id);
    const startedAt = ports.clock.now();
    await next();
    const { status, headers } = context.res;
    // Two names: OpenAI's clients read the first, Anthropic's the second.
    headers.set('x-request-id', id);
    headers.set('request-id', id);
    const route = knownRoute(routePath(context, -1));
    noteRequest(ports, { id, method: context.req.method, route, status, startedAt });
  };
}

/** The id that the answer's `request-id` header will have; null where nobody gives ids. */
export function requestIdOf(context: Context): string | null {
  const id: unknown = context.get('requestId');
  return typeof id === 'string' ? id : null;
}

/** @param given - the caller's header */
export function requestIdFor(given: string | null | undefined, random: RandomSource): string {
  return typeof given === 'string' && CALLERS_ID.test(given) ? given : `req_${randomHex(random, 24)}`;
}

interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** the pattern, never the path */
  readonly route: string;
  readonly status: number;
  readonly startedAt: number;
}

/** Counts and logs a request whose answer is known. */
export function noteRequest(
  { clock, logger, metrics }: Pick<RequestLogPorts, 'clock' | 'logger' | 'metrics'>,
  { id, method, route, status, startedAt }: AnsweredRequest,
): void {
  const ms = Math.max(0, clock.now() - startedAt);
  metrics.countRequest({ method, route, status }, ms);
  const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug';
  logger.log(level, 'request', { request_id: id, method, route, status, ms });
}

/** Requests that no route took are one kind: their paths are the caller's and would be endless labels. */
function knownRoute(pattern: string): string {
  return pattern === '' || pattern.includes('*') ? 'none' : pattern;
}
