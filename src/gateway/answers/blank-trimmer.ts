import { isBlank, skipBlank } from './tag-search';

/**
 * White space beside a tag belongs to the format, not to the text: templates put it there again when they render the
 * answer. After a tag the blank lines go, and the indentation of the first line stays. What stood before a tag is told
 * only when there is text on both sides, to keep them apart.
 */
export class BlankTrimmer {
  #held = '';
  #separator = '';
  #isBehindTag = false;
  #hasText = false;

  /** @returns what is certain to be text */
  push(text: string): string {
    const whole = this.#held + text;
    let end = whole.length;
    while (end > 0 && isBlank(whole[end - 1])) end -= 1;
    this.#held = whole.slice(end);
    if (end === 0) return '';
    const start = this.#isBehindTag ? whole.lastIndexOf('\n', skipBlank(whole, 0) - 1) + 1 : 0;
    const separator = this.#separator;
    this.#separator = '';
    this.#isBehindTag = false;
    this.#hasText = true;
    return separator + whole.slice(start, end);
  }

  /** A tag follows what was pushed. */
  tag(): void {
    if (this.#hasText && this.#separator === '') this.#separator = this.#held;
    this.#held = '';
    this.#isBehindTag = true;
  }

  /** No more text. */
  finish(): string {
    const rest = this.#isBehindTag ? '' : this.#held;
    this.#held = '';
    return rest;
  }
}
