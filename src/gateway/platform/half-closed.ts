import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds before each question; the first two find out who is gone, as far as the network is that quick. */
const PAUSES_MS = [1, 4, 145, 450, 2400];
/** Between the later ones, which only streams are asked. */
const LATER_MS = 10_000;
/** A line that every reader of server-sent events skips. */
const COMMENT = ': still there?\n\n';

/**
 * Finds out whether a client that closed its side of the connection still reads the other one.
 *
 * Such a client may be waiting for its answer, or may be gone: the sign is the same. Who is gone refuses whatever is sent,
 * and the sending after that fails. So something is sent that a client skips: `100 Continue` before the head of a reply,
 * five times at most because Go's client reads no more, and a comment inside of a stream of events. HTTP/1.0 has nothing
 * of the kind before the head; such a client is taken for gone after three seconds.
 *
 * @param current - the reply that is the connection's turn; null when all were sent, after which Node closes it
 */
export function probeHalfClosed(
  socket: Socket,
  current: () => ServerResponse | null,
  isStream: (reply: ServerResponse) => boolean,
): void {
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;
  const askLater = (): void => {
    timer = setTimeout(ask, PAUSES_MS[asked] ?? LATER_MS);
    asked += 1;
  };
  const ask = (): void => {
    const reply = current();
    if (reply === null) return;
    const isLast = asked === PAUSES_MS.length;
    if (reply.headersSent) {
      // Behind what a slow reader has not taken yet a question would only wait.
      if (isStream(reply) && !reply.writableEnded && !reply.writableNeedDrain) reply.write(COMMENT);
    } else if (reply.req.httpVersion === '1.0') {
      if (isLast) return void socket.destroy();
    } else if (asked <= PAUSES_MS.length) reply.writeContinue();
    askLater();
  };
  socket.once('close', () => clearTimeout(timer));
  askLater();
}
