/**
 * Whether a client is still there.
 *
 * What an abort signal says, without its price: events, and an exception with a stack, for every request there is.
 */
export class Presence {
  #isGone = false;
  #listeners: (() => void)[] = [];

  get isGone(): boolean {
    return this.#isGone;
  }

  /** The client went away. A second call does nothing. */
  leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  /** Calls back when the client goes; at once when it is gone. */
  onLeave(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#listeners.push(listener);
  }
}
