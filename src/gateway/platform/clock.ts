import type { CancelSignal } from './cancellation';

/** Time as a port, so that rules about time can be tested without waiting. */
export interface Clock {
  /** milliseconds since the epoch */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (an abort is an outcome, not an error). */
  sleep(ms: number, signal?: CancelSignal): Promise<void>;
  /** Calls back every `ms` until the returned function is called; does not keep the process alive. */
  every(ms: number, callback: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
  every: (ms, callback) => {
    const timer = setInterval(callback, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
