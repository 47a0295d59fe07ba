/**
 * Events of one answer, kept while it runs, so that whoever comes later hears everything from the beginning.
 *
 * Any number of readers, each at its own pace; the writer never waits.
 */
export class AnswerTape<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  /** Everything so far. */
  get values(): readonly T[] {
    return this.#values;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** No value follows; readers end after what is there. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.read(() => undefined);
  }

  /**
   * Reads from the beginning. By hand instead of as a generator: every token of every answer comes through here.
   *
   * @param onValue - hears each value when it is handed out
   */
  read(onValue: (value: T) => void): AsyncIterableIterator<T> {
    let next = 0;
    let isLeft = false;
    const step = (): IteratorResult<T> | null => {
      if (isLeft || (next >= this.#values.length && this.#ended)) return { done: true, value: undefined };
      if (next >= this.#values.length) return null;
      const value = this.#values[next] as T; // below the length
      next += 1;
      onValue(value);
      return { done: false, value };
    };
    const iterator: AsyncIterableIterator<T> = {
      next: async () => {
        for (;;) {
          const taken = step();
          if (taken !== null) return taken;
          await new Promise<void>((resolve) => {
            this.#waiting.push(resolve);
          });
        }
      },
      return: () => {
        isLeft = true;
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
