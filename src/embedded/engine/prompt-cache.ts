import type { HostRows } from '../model/decoder';

/** What a prefill leaves behind: enough to start any number of answers to the same prompt. */
export interface CachedPrompt {
  readonly rows: HostRows;
  /** logits after the last prompt token */
  readonly lastLogits: Float32Array;
  readonly length: number;
}

/**
 * Recent prompts of the current weights. Only whole prompts match: that serves n answers to one prompt, and a resubmitted
 * partial answer recomputes. Must be cleared whenever the weights change; its content then belongs to another policy.
 */
export class PromptCache {
  readonly #maxTokens: number;
  readonly #entries = new Map<string, CachedPrompt>();

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  find(promptIds: readonly number[]): CachedPrompt | null {
    const key = promptIds.join();
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  add(promptIds: readonly number[], entry: CachedPrompt): void {
    this.#entries.set(promptIds.join(), entry);
    let tokens = [...this.#entries.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [key, { length }] of this.#entries) {
      if (tokens <= this.#maxTokens) return;
      this.#entries.delete(key);
      tokens -= length;
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
