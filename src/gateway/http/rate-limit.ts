import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../platform/clock';
import { refusal } from '../platform/refusal';
import { TokenBuckets } from '../platform/token-bucket';
import { isAdmin, readToken } from './auth';
import { errorResponse } from './error-response';

/**
 * Bounds how often one key may call, so that a loop gone wild does not keep the others waiting.
 *
 * Calls without a key share one allowance. The admin key is exempt: whoever has it can stop the gateway anyway.
 *
 * @param perSecond - 0 = no limit
 */
export function rateLimit(perSecond: number, adminKey: string, clock: Clock): MiddlewareHandler {
  if (perSecond === 0) return (_context, next) => next();
  const buckets = new TokenBuckets(perSecond);
  return async (context, next) => {
    if (isAdmin(context.req.raw, adminKey)) return next();
    const seconds = buckets.take(readToken(context.req.raw) ?? '', clock.now());
    if (seconds === 0) return next();
    const message = `Too many requests with this key: the limit is ${perSecond} per second. Try again in ${Math.ceil(seconds)} s.`;
    return errorResponse({ ...refusal('rate-limited', message), retryAfter: seconds });
  };
}
