import type { Context, MiddlewareHandler } from 'hono';
import type { Database } from '../store/database';
import { toStoreRefusal } from '../store/store-refusal';
import { errorResponse } from './error-response';

/**
 * Holds each reply back until what it acknowledges is on disk.
 *
 * Let through are those that have waited by themselves ({@link markDurable}), and streams: their last event waits, and
 * nothing before it is an acknowledgement.
 */
export function durableReply(database: Pick<Database, 'flush'>): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (context.get(DURABLE) === true) return;
    if (context.res.headers.get('content-type')?.startsWith('text/event-stream') === true) return;
    try {
      await database.flush();
    } catch (error) {
      context.res = errorResponse(toStoreRefusal(error));
    }
  };
}

const DURABLE = 'isDurable';

/** The handler has waited for the disk: nobody need wait once more, behind the writes of others that came since. */
export function markDurable(context: Context): void {
  context.set(DURABLE, true);
}
