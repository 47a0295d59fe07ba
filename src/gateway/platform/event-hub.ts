import type { GatewayEvent } from '../../shared/wire/events';

/**
 * In-process broadcast of hints to read again.
 *
 * Publishing never fails and never waits: a listener that throws is somebody's bug, reported to `onError`, and does not
 * keep the others from hearing.
 */
export class EventHub {
  readonly #listeners = new Set<(event: GatewayEvent) => void>();

  constructor(private readonly onError: (error: unknown) => void = () => undefined) {}

  publish(event: GatewayEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.onError(error);
      }
    }
  }

  /** @returns the unsubscriber */
  subscribe(listener: (event: GatewayEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
