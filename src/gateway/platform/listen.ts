import { createServer, type RequestListener, type Server, type ServerOptions, ServerResponse } from 'node:http';
import { type Http2Bindings, type HttpBindings, serve } from '@hono/node-server';
import { Exchange } from './exchange';
import { OpenReplies } from './open-replies';

/** What one client may cost, whatever it sends or does not send. */
export interface ListenLimits {
  /** connections at once; more are closed at once */
  readonly maxConnections: number;
  /** milliseconds for the headers of a request; its body gets twelve times that */
  readonly headersTimeoutMs: number;
  /** paths, with their query, whose clients are taken for gone as soon as they close their side; default: none */
  readonly isLeftAtEnd?: (path: string) => boolean;
}

/** Where the gateway answers. */
export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, gives running answers `graceMs` to end, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/** The address cannot be listened on; `advice` says what to do about it. */
export class ListenError extends Error {
  override readonly name = 'ListenError';

  constructor(
    readonly kind: 'port-in-use' | 'not-permitted' | 'no-such-address' | 'failed',
    message: string,
    readonly advice: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Binds an HTTP server.
 *
 * @param takesOver - sees each request first; true when it answers it itself
 * @param port - 0 picks a free one
 * @throws ListenError
 */
export function listen(
  fetch: (request: Request, bindings: HttpBindings | Http2Bindings) => Response | Promise<Response>,
  takesOver: (exchange: Exchange) => boolean,
  address: { readonly host: string; readonly port: number } & ListenLimits,
): Promise<ListeningServer> {
  const serverOptions = {
    // A chat may think for minutes: only the time to receive a request is limited, not the time to answer it.
    headersTimeout: address.headersTimeoutMs,
    requestTimeout: 12 * address.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(5000, address.headersTimeoutMs / 2),
    maxHeaderSize: MAX_HEADER_BYTES,
    // A peer that vanished without a word is found by the system's probes.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const replies = new OpenReplies(address.isLeftAtEnd ?? (() => false));
  const create = ((given: ServerOptions, others: RequestListener) => {
    const server = createServer(given, (incoming, outgoing) => {
      replies.watch(incoming, outgoing);
      const exchange = new Exchange(incoming, outgoing, () => replies.noteStream(outgoing));
      if (!takesOver(exchange)) others(incoming, outgoing);
    });
    // Who closes the sending side behind a request gets its answer all the same. The property is as old as Node's server
    // and has never been documented, so its types do not know it.
    Object.assign(server, { httpAllowHalfOpen: true });
    return server;
  }) as typeof createServer; // it is called in this one of its forms
  const fetchNoted: typeof fetch = async (request, bindings) => {
    const reply = await fetch(request, bindings);
    const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && bindings.outgoing instanceof ServerResponse) replies.noteStream(bindings.outgoing);
    return reply;
  };
  return new Promise((resolve, reject) => {
    // The cast is sound: only createSecureServer would make another kind, and none is passed.
    const options = {
      fetch: fetchNoted,
      hostname: address.host,
      port: address.port,
      createServer: create,
      serverOptions,
    };
    const server = serve(options, (info) => {
      server.off('error', onError);
      const host = address.host.includes(':') ? `[${address.host}]` : address.host;
      resolve({
        url: `http://${host}:${info.port}`,
        port: info.port,
        close: (graceMs) => closeServer(server, graceMs),
      });
    }) as Server;
    const onError = (error: NodeJS.ErrnoException): void => reject(toListenError(error, address));
    server.once('error', onError);
    server.maxConnections = address.maxConnections;
    server.keepAliveTimeout = 65_000;
  });
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    // Again and again: a kept connection becomes idle only when its last answer has been sent.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
  });
}

function toListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): ListenError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'port-in-use',
        `Port ${port} on ${host} is already in use.`,
        'Close the program that uses it, choose another port in the settings, or use port 0 to let the system pick a free one.',
        { cause: error },
      );
    case 'EACCES':
      return new ListenError(
        'not-permitted',
        `Listening on port ${port} of ${host} is not permitted.`,
        'Choose a port from 1024 to 65535.',
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        'no-such-address',
        `This machine has no address ${host}.`,
        'Use 127.0.0.1, or an address that this machine really has.',
        { cause: error },
      );
    default:
      return new ListenError('failed', `Listening on ${host}:${port} failed: ${error.message}.`, 'Try another port.', {
        cause: error,
      });
  }
}
