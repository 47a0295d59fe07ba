/** What may be shown after a piece of text was looked at. */
export interface StopMatch {
  readonly text: string;
  /** the stop string that was reached; no text follows it */
  readonly matched: string | null;
}

/**
 * Finds stop strings in text that arrives in pieces, and holds back what may be the beginning of one.
 *
 * The gateway looks itself because an engine misses a stop string that straddles the cut of an interrupted and
 * resubmitted call.
 */
export class StopMatcher {
  #held = '';

  /** @param stopStrings - empty strings are ignored */
  constructor(private readonly stopStrings: readonly string[]) {}

  push(piece: string): StopMatch {
    const text = this.#held + piece;
    const hit = this.#findEarliest(text);
    if (hit !== null) {
      this.#held = '';
      return { text: text.slice(0, hit.at), matched: hit.stop };
    }
    const keep = this.#lengthOfPossibleStart(text);
    this.#held = text.slice(text.length - keep);
    return { text: text.slice(0, text.length - keep), matched: null };
  }

  /** The answer ended: what was held back was no stop string after all. */
  flush(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  #findEarliest(text: string): { readonly at: number; readonly stop: string } | null {
    let best: { at: number; stop: string } | null = null;
    for (const stop of this.stopStrings) {
      const at = stop === '' ? -1 : text.indexOf(stop);
      if (at >= 0 && (best === null || at < best.at)) best = { at, stop };
    }
    return best;
  }

  #lengthOfPossibleStart(text: string): number {
    let longest = 0;
    for (const stop of this.stopStrings)
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length -= 1)
        if (text.endsWith(stop.slice(0, length))) longest = length;
    return longest;
  }
}
