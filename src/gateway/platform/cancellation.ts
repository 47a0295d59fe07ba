/** What those who listen need of an `AbortSignal`; every such signal will do. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An abort controller that is its own signal, for what is made anew for every answer: without the platform's events, and
 * without the exception with a stack that each of its aborts makes.
 */
export class Cancellation implements CancelSignal {
  #isAborted = false;
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#isAborted;
  }

  /** Tells every listener, once; a second call does nothing. */
  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /** As with the platform's signals, who comes after the abort is not told. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#isAborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
