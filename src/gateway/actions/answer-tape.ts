/**
 * Events of one answer, kept while it runs, so that whoever comes later hears everything from the beginning.
 *
 * Any number of readers, each at its own pace; the writer never waits.
 */
export class AnswerTape<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** No value follows; readers end after what is there. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let next = 0; ; ) {
      if (next < this.#values.length) {
        yield this.#values[next] as T; // below the length
        next += 1;
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
