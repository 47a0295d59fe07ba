/** What the preload exposes; both sides validate, so here values are still unknown. */
export interface StudioBridge {
  invoke(channel: string, request?: unknown): Promise<unknown>;
  /** @returns a function that ends the subscription */
  subscribe(event: string, listener: (payload: unknown) => void): () => void;
}

declare global {
  interface Window {
    readonly studio?: StudioBridge;
  }
}
