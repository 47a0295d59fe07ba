import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Calls once, when the reply has been written to the connection, or will never be. */
export function onDelivery(context: Context, note: (isWritten: boolean) => void): void {
  const { signal } = context.req.raw;
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>; // empty when no socket is behind the call
  if (outgoing === undefined || outgoing.destroyed || signal.aborted) {
    note(outgoing === undefined && !signal.aborted);
    return;
  }
  // The reply may also have become a refusal: a disk that does not store the end must not have told of it.
  outgoing.once('close', () => note(outgoing.writableFinished && outgoing.statusCode < 300));
}
