import type { EngineLocator } from '../../backend';

/** A locator whose engine the test moves. */
export class MovableLocator implements EngineLocator {
  #url: string | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly apiKey: string | null = null) {}

  current(): { url: string; apiKey: string | null } | null {
    return this.#url === null ? null : { url: this.#url, apiKey: this.apiKey };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  move(url: string | null): void {
    this.#url = url;
    for (const listener of this.#listeners) listener();
  }
}
