import { Presence } from '../actions/presence';
import type { Clock } from '../platform/clock';
import type { Exchange } from '../platform/exchange';
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

/** Larger bodies are read piece by piece, elsewhere. */
const MOST_BYTES = 256 * 1024;

/**
 * The short way for the calls that every token of a run goes through: straight from Node's request to the handler and
 * back, without objects of the web kind, which cost more than the handler's own work.
 *
 * Only what needs no decision is taken: a known path, a small JSON body of declared length, a name of ours as host, no
 * page behind it, no limit on rates. All else goes the ordinary way, which has the guards, and gets the same answers.
 *
 * @returns what takes a request over, or leaves it to whoever comes next
 */
export function createFastLane(
  ports: FastLanePorts,
  handlers: ReadonlyMap<string, CallHandler>,
): (exchange: Exchange) => boolean {
  const isOurs = isAllowedHost(ports.boundHost, ports.allowedHosts);
  const isPlain = (exchange: Exchange): boolean => {
    const length = Number(exchange.header('content-length') ?? 0);
    const isSmall = length > 0 && length <= MOST_BYTES;
    return isSmall && exchange.header('origin') === null && isOurs(exchange.header('host') ?? '');
  };
  return (exchange) => {
    const handler =
      exchange.method === 'POST' && ports.requestsPerSecond === 0 ? handlers.get(exchange.path) : undefined;
    if (handler === undefined || !isPlain(exchange)) return false;
    void serve(ports, exchange, handler);
    return true;
  };
}

async function serve(ports: FastLanePorts, exchange: Exchange, handler: CallHandler): Promise<void> {
  const startedAt = ports.clock.now();
  const id = requestIdFor(exchange.header('x-request-id'), ports.random);
  const reply = await answer(ports, exchange, { id, handler });
  const sending = exchange.send({ ...reply, headers: { ...reply.headers, 'x-request-id': id, 'request-id': id } });
  // Nobody waits for the note. Not after a stream's end, though: as elsewhere, its head is its answer.
  noteRequest(ports, { id, method: 'POST', route: exchange.path, status: reply.status, startedAt });
  try {
    await sending;
  } catch (error) {
    ports.logger.log('error', 'request-failed', { request_id: id, error: errorText(error) });
    exchange.cut();
  }
}

async function answer(
  { logger }: FastLanePorts,
  exchange: Exchange,
  { id, handler }: { readonly id: string; readonly handler: CallHandler },
): Promise<Reply> {
  const client = new Presence();
  exchange.onGone(() => client.leave());
  const request: CallRequest = {
    headers: { get: (name) => exchange.header(name) },
    // Bodies of declared length only come here, and are read at once.
    body: null,
    arrayBuffer: () => exchange.readBody(),
  };
  try {
    return await handler(request, client);
  } catch (error) {
    logger.log('error', 'request-failed', { request_id: id, error: errorText(error) });
    return errorReply(toStoreRefusal(error));
  }
}
