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

/** Status 200 with a JSON body. */
export function jsonReply(value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** As `errorResponse`. */
export function errorReply(refusal: Refusal): Reply {
  return { ...jsonReply(errorBody(refusal), retryHeaders(refusal)), status: REFUSALS[refusal.kind].status };
}

/** Status 200 with server-sent frames, each of them whole. */
export function streamReply(frames: AsyncIterator<string>): Reply {
  return { status: 200, headers: EVENT_STREAM_HEADERS, body: frames };
}

/** @param onCancel - the client went away in the middle of a stream */
export function toResponse({ status, headers, body }: Reply, onCancel: () => void): Response {
  return typeof body === 'string' ? new Response(body, { status, headers }) : eventStream(body, onCancel);
}
