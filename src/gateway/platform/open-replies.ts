import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tells replies that wait behind others on one connection when the connection is gone.
 *
 * Node gives a reply its socket when the ones before it are sent, and only a reply that has a socket hears `close`: the
 * answers to pipelined requests would run to their ends, and count as delivered.
 */
export class OpenReplies {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  /** Call once for each request. */
  watch({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    const open = this.#of(socket);
    open.add(outgoing);
    const done = (): void => void open.delete(outgoing);
    outgoing.once('finish', done);
    outgoing.once('close', done);
  }

  #of(socket: Socket): Set<ServerResponse> {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const open = new Set<ServerResponse>();
    this.#bySocket.set(socket, open);
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
