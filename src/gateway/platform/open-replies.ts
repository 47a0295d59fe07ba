import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { probeHalfClosed } from './half-closed';

/**
 * The replies that are open on each connection, so that each of them hears when its client is gone.
 *
 * Node gives a reply its socket when the ones before it are sent, and only a reply that has a socket hears `close`: the
 * answers to pipelined requests would run to their ends, and count as delivered. And a client that closed its side of the
 * connection may be gone without another word.
 */
export class OpenReplies {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #streams = new WeakSet<ServerResponse>();

  /** @param isLeftAtEnd - paths whose clients are taken for gone as soon as they close their side */
  constructor(private readonly isLeftAtEnd: (path: string) => boolean) {}

  /** Call once for each request. */
  watch({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    const open = this.#of(socket);
    open.add(outgoing);
    const done = (): void => void open.delete(outgoing);
    outgoing.once('finish', done);
    outgoing.once('close', done);
  }

  /** The reply is a stream of server-sent events, each of them written whole. */
  noteStream(outgoing: ServerResponse): void {
    this.#streams.add(outgoing);
  }

  #of(socket: Socket): Set<ServerResponse> {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const open = new Set<ServerResponse>();
    this.#bySocket.set(socket, open);
    // The client sends no more, and may still read.
    socket.once('end', () => {
      if ([...open].some(({ req }) => this.isLeftAtEnd(req.url ?? ''))) return void socket.end();
      const current = (): ServerResponse | null => [...open].find((reply) => reply.socket !== null) ?? null;
      probeHalfClosed(socket, current, (reply) => this.#streams.has(reply));
    });
    // Node's own listener comes first: what is left then has no socket.
    socket.once('close', () => {
      for (const outgoing of [...open]) {
        outgoing.destroy();
        outgoing.emit('close');
      }
    });
    return open;
  }
}
