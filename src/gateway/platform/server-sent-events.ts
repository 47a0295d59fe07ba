import type { IncomingMessage } from 'node:http';

/** Of a reply that nobody reads any more: an engine that goes on longer or says more than this is cut off. */
const REST = { ms: 1000, characters: 64 * 1024 };

/**
 * Data of the server-sent events of a reply, as they arrive; several data lines of one event are joined as the standard
 * says. For one reader.
 *
 * Written by hand instead of as generators over the stream: an engine sends an event per token, and each layer of
 * iteration would cost every token several turns of the microtask queue.
 */
export class EventFeed implements AsyncIterableIterator<string> {
  readonly #events: string[] = [];
  #taken = 0;
  #pending = '';
  #isOver = false;
  #failure: Error | null = null;
  #waiting: { resolve(step: IteratorResult<string>): void; reject(error: Error): void } | null = null;

  /** @param toError - makes the error that the reader gets when the reply breaks off */
  constructor(
    private readonly response: IncomingMessage,
    toError: (cause: Error) => Error,
  ) {
    const end = (failure: Error | null): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#failure = failure === null ? null : toError(failure);
      this.#wake();
    };
    if (response.destroyed) end(new Error('the connection was closed before the reply was read'));
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#add(text));
    response.on('end', () => end(null));
    response.on('error', end);
    // Every reply closes in the end, and an error is dear: it takes down the stack.
    response.on('close', () => {
      if (!this.#isOver) end(new Error('the connection was closed in the middle of the reply'));
    });
  }

  next(): Promise<IteratorResult<string>> {
    const step = this.#step();
    if (step !== null) return Promise.resolve(step);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** The reader leaves early: the rest of the reply is not read. */
  return(): Promise<IteratorResult<string>> {
    this.#isOver = true;
    this.response.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  /**
   * The reader has all it wants. The rest of the reply is read and dropped, so that its connection can be used again, but
   * nobody waits for it, and it is cut off when it does not end soon.
   */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    let left = REST.characters;
    this.response.on('data', (text: string) => {
      left -= text.length;
      if (left < 0) this.response.destroy();
    });
    const cut = setTimeout(() => this.response.destroy(), REST.ms);
    this.response.once('close', () => clearTimeout(cut));
    this.#events.length = 0;
    this.#taken = 0;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #step(): IteratorResult<string> | null {
    if (this.#taken < this.#events.length) {
      const value = this.#events[this.#taken] as string; // below the length
      this.#taken += 1;
      if (this.#taken === this.#events.length) {
        this.#events.length = 0;
        this.#taken = 0;
      }
      return { done: false, value };
    }
    return this.#isOver && this.#failure === null ? { done: true, value: undefined } : null;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    const step = this.#step();
    if (step === null && this.#failure === null) return;
    this.#waiting = null;
    if (step !== null) waiting.resolve(step);
    else if (this.#failure !== null) waiting.reject(this.#failure);
  }

  #add(text: string): void {
    if (this.#isOver) return;
    this.#pending += text.includes('\r') ? text.replaceAll('\r', '') : text;
    let from = 0;
    for (;;) {
      const end = this.#pending.indexOf('\n\n', from);
      if (end < 0) break;
      const data = dataOf(this.#pending.slice(from, end));
      from = end + 2;
      if (data !== null) this.#events.push(data);
    }
    this.#pending = this.#pending.slice(from);
    this.#wake();
  }
}

/** null for an event without data, such as a comment. */
function dataOf(event: string): string | null {
  if (event.startsWith('data: ') && !event.includes('\n')) return event.slice(6);
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}
