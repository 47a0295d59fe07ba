import type { IncomingMessage, ServerResponse } from 'node:http';
import { Presence } from '../actions/presence';
import type { Clock } from '../platform/clock';
import { errorText, type Logger } from '../platform/logger';
import type { Metrics } from '../platform/metrics';
import type { RandomSource } from '../platform/random';
import { toStoreRefusal } from '../store/store-refusal';
import { isAllowedHost } from './guards';
import { type CallRequest, errorReply, type Reply } from './reply';
import { noteRequest, requestIdFor } from './request-log';

/** Answers one call. Whatever its reply acknowledges is on disk: nobody waits for that once more. */
export type CallHandler = (request: CallRequest, client: Presence) => Promise<Reply>;

export interface FastLanePorts {
  readonly boundHost: string;
  readonly allowedHosts: readonly string[];
  readonly requestsPerSecond: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Takes a request over, or leaves it to whoever comes next. */
export type Lane = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** Larger bodies are read piece by piece, elsewhere. */
const MOST_BYTES = 256 * 1024;

/**
 * The short way for the calls that every token of a run goes through: straight from Node's request to the handler and
 * back, without objects of the web kind, which cost more than the handler's own work.
 *
 * Only what needs no decision is taken: a known path, a small JSON body of declared length, a name of ours as host, no
 * page behind it, no limit on rates. All else goes the ordinary way, which has the guards, and gets the same answers.
 */
export function createFastLane(ports: FastLanePorts, handlers: ReadonlyMap<string, CallHandler>): Lane {
  const isOurs = isAllowedHost(ports.boundHost, ports.allowedHosts);
  const isPlain = ({ headers }: IncomingMessage): boolean => {
    const length = Number(headers['content-length'] ?? 0);
    return length > 0 && length <= MOST_BYTES && headers.origin === undefined && isOurs(headers.host ?? '');
  };
  return (incoming, outgoing) => {
    const path = incoming.url ?? '';
    const handler = incoming.method === 'POST' && ports.requestsPerSecond === 0 ? handlers.get(path) : undefined;
    if (handler === undefined || !isPlain(incoming)) return false;
    void serve(ports, { incoming, outgoing, path }, handler);
    return true;
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly path: string;
}

async function serve(
  ports: FastLanePorts,
  { incoming, outgoing, path }: Exchange,
  handler: CallHandler,
): Promise<void> {
  const startedAt = ports.clock.now();
  const client = new Presence();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) client.leave();
  });
  const id = requestIdFor(incoming.headers['x-request-id'], ports.random);
  const reply = await answer(ports, incoming, handler, client);
  // Before the body, as elsewhere: a stream goes on after its head.
  noteRequest(ports, { id, method: 'POST', route: path, status: reply.status, startedAt });
  if (outgoing.destroyed) return;
  const headers = { ...reply.headers, 'x-request-id': id, 'request-id': id };
  if (typeof reply.body === 'string') {
    const body = Buffer.from(reply.body, 'utf8');
    outgoing.writeHead(reply.status, { ...headers, 'content-length': body.length }).end(body);
  } else {
    outgoing.writeHead(reply.status, headers);
    await stream(ports, reply.body, outgoing);
  }
}

async function answer(
  { logger }: FastLanePorts,
  incoming: IncomingMessage,
  handler: CallHandler,
  client: Presence,
): Promise<Reply> {
  try {
    return await handler(new NodeRequest(incoming), client);
  } catch (error) {
    logger.log('error', 'request-failed', { error: errorText(error) });
    return errorReply(toStoreRefusal(error));
  }
}

/** At the reader's pace. */
async function stream(
  { logger }: FastLanePorts,
  frames: AsyncIterator<string>,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      if (outgoing.destroyed) break;
      if (!outgoing.write(next.value)) await drained(outgoing);
    }
    await frames.return?.();
    outgoing.end();
  } catch (error) {
    // The head is sent: all that is left to say is that the body is not whole.
    logger.log('error', 'request-failed', { error: errorText(error) });
    outgoing.destroy();
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}

class NodeRequest implements CallRequest {
  /** the lane takes bodies of declared length only, which are read at once */
  readonly body = null;

  constructor(private readonly incoming: IncomingMessage) {}

  get headers(): CallRequest['headers'] {
    return { get: (name) => joined(this.incoming.headers[name]) };
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      this.incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.incoming.on('end', () => resolve(toArrayBuffer(chunks)));
      this.incoming.on('error', reject);
      this.incoming.on('close', () => reject(new Error('the client went away before its request was whole')));
    });
  }
}

function joined(value: string | string[] | undefined): string | null {
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
}

function toArrayBuffer(chunks: readonly Buffer[]): ArrayBuffer {
  const [only] = chunks;
  const bytes = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer; // Node's pools are no shared memory
}
