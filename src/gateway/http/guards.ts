import type { MiddlewareHandler } from 'hono';
import { refusal } from '../platform/refusal';
import { errorResponse } from './error-response';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/**
 * A gateway on a loopback address answers only to loopback names: a page whose own domain was pointed at 127.0.0.1
 * (DNS rebinding) sends its domain as the host.
 */
export function hostGuard(boundHost: string): MiddlewareHandler {
  return async (context, next) => {
    if (!isLoopback(boundHost)) return next();
    const { hostname } = new URL(context.req.url);
    const named = context.req.header('host')?.replace(/:\d+$/, '') ?? hostname;
    if (LOOPBACK_NAMES.has(named.toLowerCase()) || named === boundHost) return next();
    return errorResponse(
      refusal('host-not-allowed', `Host '${named}' is not allowed: use the address that the gateway printed.`),
    );
  };
}

/** Cross-origin access for the configured origins only; every other page gets no permission and no preflight. */
export function originGuard(allowedOrigins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const origin = context.req.header('origin');
    const isAllowed = origin !== undefined && allowedOrigins.includes(origin);
    if (context.req.method === 'OPTIONS') {
      if (isAllowed)
        return new Response(null, {
          status: 204,
          headers: preflightHeaders(origin, context.req.header('access-control-request-headers')),
        });
      const message = `Origin '${origin ?? 'none'}' is not allowed. Add it to the gateway's allowed origins.`;
      return errorResponse(refusal('origin-not-allowed', message));
    }
    await next();
    if (isAllowed)
      for (const [name, value] of Object.entries(corsHeaders(origin))) context.res.headers.set(name, value);
    return undefined;
  };
}

function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, vary: 'Origin' };
}

/** An allowed page may send whatever headers its client adds; OpenAI's adds a dozen of its own. */
function preflightHeaders(origin: string, requestedHeaders: string | undefined): Record<string, string> {
  return {
    ...corsHeaders(origin),
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': requestedHeaders ?? 'authorization, content-type, x-api-key',
    'access-control-max-age': '600',
  };
}
