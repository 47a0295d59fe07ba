/** What a tokenizer says of an added token. */
export interface AddedTokenFacts {
  readonly content: string;
  readonly lstrip: boolean;
  /** found in the normalized text only */
  readonly normalized: boolean;
  readonly special: boolean;
}

/**
 * Where a text falls apart into pieces that are tokenized on their own.
 *
 * Added tokens are cut out of a text before anything else is done to it, from left to right, the longest first. So a
 * piece that begins with one has the same ids whatever stands before it.
 */
export class AddedTokens {
  /** characters of the longest added token: a cut is certain when so much behind it is known */
  readonly longest: number;
  readonly #pattern: RegExp | null;
  readonly #boundaries: ReadonlySet<string>;

  /** @param isNormalizing - whether the tokenizer normalizes; without that every token is cut out at once */
  constructor(tokens: readonly AddedTokenFacts[], isNormalizing: boolean) {
    const whole = tokens.filter((token) => !(token.normalized && isNormalizing) && token.content !== '');
    this.#pattern = alternation(whole.map((token) => token.content));
    this.longest = Math.max(1, ...whole.map((token) => token.content.length));
    // One that trims the piece before it, or that the token before could trim, does not stand for itself.
    this.#boundaries = new Set(
      whole.filter((token) => !token.lstrip && token.content.trim() === token.content).map((token) => token.content),
    );
  }

  /** Positions at which pieces begin, ascending; 0 only when a token stands there. */
  boundariesOf(text: string): number[] {
    if (this.#pattern === null) return [];
    const positions: number[] = [];
    for (const match of text.matchAll(this.#pattern))
      if (this.#boundaries.has(match[0])) positions.push(match.index ?? 0);
    return positions;
  }
}

/** A pattern of the texts, the longest first; null without any. */
export function alternation(texts: readonly string[]): RegExp | null {
  if (texts.length === 0) return null;
  const longestFirst = [...texts].sort((left, right) => right.length - left.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}
