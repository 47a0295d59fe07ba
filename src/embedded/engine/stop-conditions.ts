/** Why generation ended, in the shape of the wire. */
export type FinishReason =
  | { readonly type: 'stop'; readonly matched: number | string }
  | { readonly type: 'length'; readonly length: number }
  | { readonly type: 'abort'; readonly message: string; readonly status_code: null; readonly err_type: null };

export const ABORTED: FinishReason = { type: 'abort', message: 'Aborted', status_code: null, err_type: null };

/** A logit was not a number: no token was drawn, and what came before should not be trained on. */
export const NUMERIC_FAILURE: FinishReason = { type: 'stop', matched: 'NaN happened' };

export interface StopState {
  /** tokens sampled so far, the one just sampled included */
  readonly outputCount: number;
  readonly maxNewTokens: number;
  readonly lastTokenId: number;
  /** end-of-sequence ids and the request's own stop ids; empty when the request ignores them */
  readonly stopTokenIds: ReadonlySet<number>;
  /** the stop string that the text has just completed */
  readonly matchedString: string | null;
}

/** Checked after every token, in SGLang's order: length, stop string, stop token. */
export function findStop(state: StopState): FinishReason | null {
  if (state.outputCount >= state.maxNewTokens) return { type: 'length', length: state.maxNewTokens };
  if (state.matchedString !== null) return { type: 'stop', matched: state.matchedString };
  if (state.stopTokenIds.has(state.lastTokenId)) return { type: 'stop', matched: state.lastTokenId };
  return null;
}

/** Watches growing text for stop strings. */
export class StopStringMatcher {
  readonly #strings: readonly string[];
  readonly #longest: number;
  #tail = '';

  constructor(strings: readonly string[]) {
    this.#strings = strings.filter((string) => string !== '');
    this.#longest = Math.max(0, ...this.#strings.map((string) => string.length));
  }

  /** The stop string that ends earliest within the text so far, or null; ties go to the longer one. */
  push(text: string): string | null {
    if (this.#longest === 0 || text === '') return null;
    const seen = this.#tail + text;
    let best: { readonly string: string; readonly end: number } | null = null;
    for (const string of this.#strings) {
      const start = seen.indexOf(string, Math.max(0, this.#tail.length - string.length + 1));
      if (start < 0) continue;
      const end = start + string.length;
      if (best === null || end < best.end || (end === best.end && string.length > best.string.length))
        best = { string, end };
    }
    this.#tail = seen.slice(-(this.#longest - 1) || seen.length);
    return best?.string ?? null;
  }
}

/** Length of the longest end of `text` that could still grow into one of the strings. */
export function heldBackLength(text: string, strings: readonly string[]): number {
  let held = 0;
  for (const string of strings) {
    for (let length = Math.min(string.length - 1, text.length); length > held; length--) {
      if (text.endsWith(string.slice(0, length))) held = length;
    }
  }
  return held;
}
