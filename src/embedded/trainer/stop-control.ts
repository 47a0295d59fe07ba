/** Thrown between passes when the batch at hand must be abandoned; HEAD stays where it was. */
export class StopNow extends Error {
  override readonly name = 'StopNow';
}

/** How long a batch may go on after a signal; the supervisor kills at 30 s. */
const SIGNAL_GRACE_MS = 25_000;

/** What has been asked of the process, and a bell that wakes the loop. */
export class StopControl {
  #mode: 'run' | 'after_batch' | 'now' = 'run';
  #isPaused = false;
  #ring: () => void = () => {};

  get isStopping(): boolean {
    return this.#mode !== 'run';
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  request(mode: 'after_batch' | 'now'): void {
    if (this.#mode !== 'now') this.#mode = mode;
    this.wake();
  }

  /** SIGTERM and the like: the batch at hand is finished if that goes quickly enough. */
  requestBySignal(): void {
    this.request('after_batch');
    setTimeout(() => this.request('now'), SIGNAL_GRACE_MS).unref();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.wake();
  }

  throwIfNow(): void {
    if (this.#mode === 'now') throw new StopNow();
  }

  /** Ends the current wait early. */
  wake(): void {
    this.#ring();
  }

  /** Waits for the bell, at most this long: messages are hints, so the loop looks again by itself. */
  wait(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#ring = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
