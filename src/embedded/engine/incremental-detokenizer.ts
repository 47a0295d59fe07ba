/** Token ids to text; the empty list gives the empty string. */
export type Decode = (tokenIds: readonly number[]) => string;

const REPLACEMENT = '\ufffd';

/**
 * Turns a growing list of token ids into text pieces whose concatenation equals decoding them all at once.
 *
 * A character may span several tokens, and some decoders treat the first token specially; so each piece is the difference between
 * decoding a short window with and without the new tokens, and it is held while it ends in an unfinished character.
 */
export class IncrementalDetokenizer {
  readonly #decode: Decode;
  #ids: number[] = [];
  /** start of the window that is decoded again, kept for context */
  #windowStart = 0;
  /** tokens before this index are already text */
  #emitted = 0;

  constructor(decode: Decode) {
    this.#decode = decode;
  }

  /** Text that the new token completes; empty while a character is unfinished. */
  push(id: number): string {
    this.#ids.push(id);
    const known = this.#decode(this.#ids.slice(this.#windowStart, this.#emitted));
    const grown = this.#decode(this.#ids.slice(this.#windowStart));
    if (grown.length <= known.length || grown.endsWith(REPLACEMENT)) return '';
    this.#windowStart = this.#emitted;
    this.#emitted = this.#ids.length;
    return grown.slice(known.length);
  }

  /** What is left at the end; unfinished characters become U+FFFD. Call once. */
  flush(): string {
    const known = this.#decode(this.#ids.slice(this.#windowStart, this.#emitted));
    return this.#decode(this.#ids.slice(this.#windowStart)).slice(known.length);
  }
}
