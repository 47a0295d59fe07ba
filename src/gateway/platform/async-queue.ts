/**
 * Hands values from a producer to one consumer that iterates, in order.
 *
 * The producer never waits; the consumer may stop early without disturbing it.
 */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #wake: (() => void) | null = null;
  #ended = false;

  /** values not taken yet */
  get length(): number {
    return this.#values.length;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#notify();
  }

  /** No value follows; the consumer's loop ends after what is queued. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const value = this.#values.shift();
      if (value !== undefined) yield value;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
