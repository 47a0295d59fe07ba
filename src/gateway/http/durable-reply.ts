import type { MiddlewareHandler } from 'hono';
import type { Database } from '../store/database';
import { toStoreRefusal } from '../store/store-refusal';
import { errorResponse } from './error-response';

/**
 * Holds each reply back until what it acknowledges is on disk.
 *
 * Streams are let through: their last event waits by itself, and nothing before it is an acknowledgement.
 */
export function durableReply(database: Database): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (context.res.headers.get('content-type')?.startsWith('text/event-stream') === true) return;
    try {
      await database.flush();
    } catch (error) {
      context.res = errorResponse(toStoreRefusal(error));
    }
  };
}
