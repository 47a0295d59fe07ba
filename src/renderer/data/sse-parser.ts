/** One server-sent event; `data` lines joined by newlines. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Cuts bytes into server-sent events; a chunk may end anywhere, also inside a character or between `\r` and `\n`.
 *
 * Follows the HTML standard's event stream grammar, except for `id` and `retry`, which the gateway does not send.
 */
export function createSseParser(): { push(bytes: Uint8Array): ServerSentEvent[] } {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let event = '';
  let data: string[] = [];

  function take(line: string): ServerSentEvent | null {
    if (line === '') {
      const complete = data.length > 0 ? { event: event || 'message', data: data.join('\n') } : null;
      event = '';
      data = [];
      return complete;
    }
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    return null;
  }

  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      const events: ServerSentEvent[] = [];
      for (;;) {
        const end = rest.search(/[\r\n]/);
        // A lone \r at the end may be half of \r\n: wait for the next byte.
        if (end === -1 || (rest[end] === '\r' && end === rest.length - 1)) break;
        const complete = take(rest.slice(0, end));
        rest = rest.slice(end + (rest[end] === '\r' && rest[end + 1] === '\n' ? 2 : 1));
        if (complete !== null) events.push(complete);
      }
      return events;
    },
  };
}

/** The events of a response body, in order, until it ends; throws what the network throws. */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const parser = createSseParser();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    // The consumer may stop early (an abort, a [DONE]); the connection must not stay open for nobody.
    reader.cancel().catch(() => {});
  }
}
