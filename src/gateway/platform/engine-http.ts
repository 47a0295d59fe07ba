import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { CancelSignal } from './cancellation';
import { EventFeed } from './server-sent-events';

/** A reply whose status is known and whose body was read whole. */
export interface EngineReply {
  readonly status: number;
  readonly text: string;
}

/** The connection to the engine was refused, reset or closed early; nothing is known about what the engine did. */
export class EngineConnectionError extends Error {
  override readonly name = 'EngineConnectionError';
}

/** Calls of an engine that answer with a stream. */
export interface EngineCalls {
  /** that have a connection, or are getting one */
  readonly open: number;
  /** for one of the connections, of which there is a limited number; oldest first */
  readonly waiting: number;
}

/** How many streams at once, and who hears of it. */
export interface EngineHttpOptions {
  /** streams open at one time to one address; more wait. Default: 512 */
  readonly mostStreams?: number;
  /** called whenever {@link EngineHttp.calls} has changed */
  readonly onCalls?: (calls: EngineCalls) => void;
}

interface EngineCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly apiKey: string | null;
  readonly body?: unknown;
}

interface Agents {
  readonly plain: Agent;
  readonly secure: SecureAgent;
}

/** Calls that are answered at once: aborts, probes, weight updates. */
const MOST_CALLS = 64;

function createAgents(maxSockets: number): Agents {
  const options = { keepAlive: true, maxSockets };
  return { plain: new Agent(options), secure: new SecureAgent(options) };
}

/** An engine has its own queue as well, and a better sense of it; this many keep a large one busy. */
const MOST_STREAMS = 512;

/** An engine that restarts may come back under another port each time. */
const MOST_TARGETS = 64;

/**
 * HTTP/1.1 to an inference engine with kept connections.
 *
 * No read timeout: a long prefill or a paused engine is silence, and silence is not an error. Callers bound what they
 * must bound by their signal.
 */
export class EngineHttp {
  /** Not those of the streams: an abort must not wait behind what it aborts. */
  readonly #agents: { readonly stream: Agents; readonly call: Agents };
  readonly #targets = new Map<string, ReturnType<typeof urlToHttpOptions>>();

  readonly #mostStreams: number;
  #streams = 0;

  constructor(private readonly options: EngineHttpOptions = {}) {
    this.#mostStreams = options.mostStreams ?? MOST_STREAMS;
    this.#agents = { stream: createAgents(this.#mostStreams), call: createAgents(MOST_CALLS) };
  }

  /** As one address has them: the engine is one, and its calls end when it moves. */
  get calls(): EngineCalls {
    const open = Math.min(this.#streams, this.#mostStreams);
    return { open, waiting: this.#streams - open };
  }

  /** @throws EngineConnectionError, also when the signal aborts */
  async call(call: EngineCall, signal: CancelSignal): Promise<EngineReply> {
    const response = await this.#open(call, signal, this.#agents.call);
    return { status: response.statusCode ?? 0, text: await readText(response) };
  }

  /**
   * Opens a server-sent event stream. `events` yields the data of each event; it throws EngineConnectionError when the
   * connection ends before the stream said that it is complete.
   */
  async stream(
    call: EngineCall,
    signal: CancelSignal,
  ): Promise<{ readonly status: number; readonly events: EventFeed; text(): Promise<string> }> {
    const response = await this.#openCounted(call, signal);
    return {
      status: response.statusCode ?? 0,
      // Made when it is read: what was not asked for must not be taken from the reply.
      get events() {
        return new EventFeed(response, toConnectionError);
      },
      text: () => readText(response),
    };
  }

  /** Parsed once for each of the few addresses that are called. */
  #target(url: string): ReturnType<typeof urlToHttpOptions> {
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    if (this.#targets.size >= MOST_TARGETS) this.#targets.clear();
    const target = urlToHttpOptions(new URL(url));
    this.#targets.set(url, target);
    return target;
  }

  close(): void {
    for (const { plain, secure } of Object.values(this.#agents)) {
      plain.destroy();
      secure.destroy();
    }
  }

  async #openCounted(call: EngineCall, signal: CancelSignal): Promise<IncomingMessage> {
    this.#count(1);
    try {
      const response = await this.#open(call, signal, this.#agents.stream);
      response.once('close', () => this.#count(-1));
      return response;
    } catch (error) {
      this.#count(-1);
      throw error;
    }
  }

  #count(change: 1 | -1): void {
    this.#streams += change;
    this.options.onCalls?.(this.calls);
  }

  /** A kept connection that the engine closed just now fails before any answer: asked once more on a fresh one. */
  async #open(call: EngineCall, signal: CancelSignal, agents: Agents): Promise<IncomingMessage> {
    for (;;) {
      const opened = await this.#send(call, signal, agents);
      if (opened !== 'stale-connection') return opened;
    }
  }

  #send(call: EngineCall, signal: CancelSignal, agents: Agents): Promise<IncomingMessage | 'stale-connection'> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        signal.removeEventListener('abort', hangUp);
        if (outgoing?.reusedSocket === true && error.code === 'ECONNRESET') resolve('stale-connection');
        else reject(new EngineConnectionError(error.message, { cause: error }));
      };
      let outgoing: ClientRequest | undefined;
      const hangUp = (): void => {
        const aborted = new Error('aborted');
        outgoing?.destroy(aborted);
        // One that still waits for a connection reports nothing before it has one.
        if (outgoing?.socket === null) fail(aborted);
      };
      if (signal.aborted) return fail(new Error('aborted'));
      // Stays a text, which Node sends together with the head: bytes would be a second piece.
      const body = call.body === undefined ? null : JSON.stringify(call.body);
      const isSecure = call.url.startsWith('https:');
      outgoing = (isSecure ? secureRequest : request)({
        ...this.#target(call.url),
        method: call.method,
        agent: isSecure ? agents.secure : agents.plain,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(call.apiKey === null ? {} : { authorization: `Bearer ${call.apiKey}` }),
        },
      });
      signal.addEventListener('abort', hangUp, { once: true });
      // Not once: an abort after the response began is reported here as well, and must find a listener.
      outgoing.on('error', fail);
      outgoing.once('response', (response) => {
        response.once('close', () => signal.removeEventListener('abort', hangUp));
        resolve(response);
      });
      outgoing.end(body ?? undefined);
    });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  try {
    for await (const piece of response) text += piece as string; // an encoding is set, so pieces are text
  } catch (error) {
    throw toConnectionError(error);
  }
  return text;
}

function toConnectionError(error: unknown): EngineConnectionError {
  return new EngineConnectionError(error instanceof Error ? error.message : String(error), { cause: error });
}
