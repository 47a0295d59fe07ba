import { REFUSALS, type Refusal } from '../platform/refusal';
import { errorBody, retryHeaders } from './error-response';
import { EVENT_STREAM_HEADERS, eventStream } from './sse';

/** What the handlers of calls read of a request, whoever carries it. */
export interface CallRequest {
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** An answer before it is on any wire: a text, or server-sent frames as they come. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterator<string>;
}

export function jsonReply(value: unknown): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** As `errorResponse`. */
export function errorReply(refusal: Refusal): Reply {
  const headers = { ...retryHeaders(refusal), 'content-type': 'application/json' };
  return { status: REFUSALS[refusal.kind].status, headers, body: JSON.stringify(errorBody(refusal)) };
}

export function streamReply(frames: AsyncIterator<string>): Reply {
  return { status: 200, headers: EVENT_STREAM_HEADERS, body: frames };
}

/** @param onCancel - the client went away in the middle of a stream */
export function toResponse({ status, headers, body }: Reply, onCancel: () => void): Response {
  return typeof body === 'string' ? new Response(body, { status, headers }) : eventStream(body, onCancel);
}
