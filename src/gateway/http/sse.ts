/** Headers of a stream that no cache keeps and no proxy holds back. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** One server-sent event with a JSON payload. */
export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Events that carry their name as `type`; '' when nobody reads a stream. */
export function namedFrames(stream: boolean, events: readonly { readonly type: string }[]): string {
  if (!stream) return '';
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** What OpenAI clients wait for; nothing follows. */
export const DONE_FRAME = 'data: [DONE]\n\n';

/**
 * Streams frames as they come, at the reader's pace.
 *
 * @param onCancel - the client went away; no further frame is asked for
 */
export function eventStream(frames: AsyncIterator<string>, onCancel: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await frames.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      onCancel();
      await frames.return?.();
    },
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
