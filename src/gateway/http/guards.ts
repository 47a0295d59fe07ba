import type { MiddlewareHandler } from 'hono';
import { refusal } from '../platform/refusal';
import { errorResponse } from './error-response';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const NUMERIC_ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/**
 * Answers only to names that are its own: a page whose domain was pointed at this machine (DNS rebinding) sends that
 * domain as the host.
 *
 * On a loopback address these are the loopback names. Elsewhere any numeric address will do, since no page can have one
 * that is not really its own, and the names in `allowedHosts`.
 */
export function hostGuard(boundHost: string, allowedHosts: readonly string[]): MiddlewareHandler {
  const isAllowed = isAllowedHost(boundHost, allowedHosts);
  return async (context, next) => {
    // A request in absolute form names its host twice.
    const named = [context.req.header('host'), new URL(context.req.url).host].filter((name) => name !== undefined);
    const foreign = named.find((name) => !isAllowed(name));
    if (foreign === undefined) return next();
    const message = `Host '${withoutPort(foreign)}' is not allowed: use the address that the gateway printed, or add the name to its allowed hosts.`;
    return errorResponse(refusal('host-not-allowed', message));
  };
}

/** The rule of {@link hostGuard}, for the `Host` header of a request. */
export function isAllowedHost(boundHost: string, allowedHosts: readonly string[]): (host: string) => boolean {
  const allowed = new Set([
    ...LOOPBACK_NAMES,
    boundHost.toLowerCase(),
    ...allowedHosts.map((name) => name.toLowerCase()),
  ]);
  const isOpen = !isLoopback(boundHost);
  return (host) => {
    const named = withoutPort(host);
    return allowed.has(named) || (isOpen && NUMERIC_ADDRESS.test(named));
  };
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
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
