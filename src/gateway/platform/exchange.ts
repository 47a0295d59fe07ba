import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is sent back: a text, or server-sent events as they come, each piece made of whole ones. */
export interface ExchangeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterator<string>;
}

/** One request and its reply, as Node's server has them. */
export class Exchange {
  /** @param onStream - called before a reply that comes in pieces begins */
  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly onStream: () => void,
  ) {}

  get method(): string {
    return this.incoming.method ?? '';
  }

  /** with its query, as sent */
  get path(): string {
    return this.incoming.url ?? '';
  }

  /** @param name - in lower case */
  header(name: string): string | null {
    const value = this.incoming.headers[name];
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
  }

  /** @throws when the client goes away before its request is whole */
  readBody(): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let isWhole = false;
      this.incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.incoming.on('end', () => {
        isWhole = true;
        resolve(toArrayBuffer(chunks));
      });
      this.incoming.on('error', reject);
      // Every request closes in the end, and an error is dear: it takes down the stack.
      this.incoming.on('close', () => {
        if (!isWhole) reject(new Error('the client went away before its request was whole'));
      });
    });
  }

  /** Calls back once when the connection closes before the reply is sent. */
  onGone(listener: () => void): void {
    this.outgoing.once('close', () => {
      if (!this.outgoing.writableFinished) listener();
    });
  }

  /** Sends the reply, at the reader's pace; nothing when nobody is there any more. @throws what a body's iterator throws */
  async send({ status, headers, body }: ExchangeReply): Promise<void> {
    if (this.outgoing.destroyed) return;
    if (typeof body === 'string') {
      // As a text, which Node sends together with the head: bytes would be a second piece.
      this.outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
      return;
    }
    this.onStream();
    this.outgoing.writeHead(status, headers);
    for (let next = await body.next(); next.done !== true; next = await body.next()) {
      if (this.outgoing.destroyed) break;
      if (!this.outgoing.write(next.value)) await this.#drained();
    }
    await body.return?.();
    this.outgoing.end();
  }

  /** Cuts the connection: all that is left to say of a reply that was begun and cannot be finished. */
  cut(): void {
    this.outgoing.destroy();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.outgoing.off('drain', done);
        this.outgoing.off('close', done);
        resolve();
      };
      this.outgoing.on('drain', done);
      this.outgoing.on('close', done);
    });
  }
}

function toArrayBuffer(chunks: readonly Buffer[]): ArrayBuffer {
  const [only] = chunks;
  const bytes = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer; // Node's pools are no shared memory
}
