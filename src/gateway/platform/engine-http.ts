import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { StringDecoder } from 'node:string_decoder';

/** A reply whose status is known and whose body was read whole. */
export interface EngineReply {
  readonly status: number;
  readonly text: string;
}

/** The connection to the engine was refused, reset or closed early; nothing is known about what the engine did. */
export class EngineConnectionError extends Error {
  override readonly name = 'EngineConnectionError';
}

interface EngineCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly apiKey: string | null;
  readonly body?: unknown;
}

/**
 * HTTP/1.1 to an inference engine with kept connections.
 *
 * No read timeout: a long prefill or a paused engine is silence, and silence is not an error. Callers bound what they
 * must bound by their signal.
 */
export class EngineHttp {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 512 });
  readonly #secureAgent = new SecureAgent({ keepAlive: true, maxSockets: 512 });

  /** @throws EngineConnectionError, also when the signal aborts */
  async call(call: EngineCall, signal: AbortSignal): Promise<EngineReply> {
    const response = await this.#open(call, signal);
    let text = '';
    for await (const piece of decoded(response)) text += piece;
    return { status: response.statusCode ?? 0, text };
  }

  /**
   * Opens a server-sent event stream. `events` yields the data of each event; it throws EngineConnectionError when the
   * connection ends before the stream said that it is complete.
   */
  async stream(
    call: EngineCall,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly events: AsyncIterable<string>; text(): Promise<string> }> {
    const response = await this.#open(call, signal);
    return {
      status: response.statusCode ?? 0,
      events: eventData(decoded(response)),
      text: async () => {
        let text = '';
        for await (const piece of decoded(response)) text += piece;
        return text;
      },
    };
  }

  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }

  /** A kept connection that the engine closed just now fails before any answer: asked once more on a fresh one. */
  async #open(call: EngineCall, signal: AbortSignal): Promise<IncomingMessage> {
    for (;;) {
      const opened = await this.#send(call, signal);
      if (opened !== 'stale-connection') return opened;
    }
  }

  #send(call: EngineCall, signal: AbortSignal): Promise<IncomingMessage | 'stale-connection'> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        if (outgoing?.reusedSocket === true && error.code === 'ECONNRESET') resolve('stale-connection');
        else reject(new EngineConnectionError(error.message, { cause: error }));
      };
      let outgoing: ClientRequest | undefined;
      if (signal.aborted) return fail(new Error('aborted'));
      const body = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body), 'utf8');
      const isSecure = call.url.startsWith('https:');
      outgoing = (isSecure ? secureRequest : request)(call.url, {
        method: call.method,
        agent: isSecure ? this.#secureAgent : this.#agent,
        signal,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
          ...(call.apiKey === null ? {} : { authorization: `Bearer ${call.apiKey}` }),
        },
      });
      outgoing.setNoDelay(true);
      // Not once: an abort after the response began is reported here as well, and must find a listener.
      outgoing.on('error', fail);
      outgoing.once('response', resolve);
      outgoing.end(body ?? undefined);
    });
  }
}

async function* decoded(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of response) yield decoder.write(chunk as Buffer); // no encoding is set, so chunks are buffers
    yield decoder.end();
  } catch (error) {
    throw new EngineConnectionError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Data of each server-sent event; several data lines of one event are joined as the standard says. */
async function* eventData(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let pending = '';
  for await (const piece of pieces) {
    pending += piece.includes('\r') ? piece.replaceAll('\r', '') : piece;
    for (;;) {
      const end = pending.indexOf('\n\n');
      if (end < 0) break;
      const data = pending
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''));
      pending = pending.slice(end + 2);
      if (data.length > 0) yield data.join('\n');
    }
  }
}
