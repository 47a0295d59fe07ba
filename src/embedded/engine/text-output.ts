import { type Decode, IncrementalDetokenizer } from './incremental-detokenizer';
import { type FinishReason, heldBackLength, StopStringMatcher } from './stop-conditions';

export interface TextRules {
  readonly stopStrings: readonly string[];
  /** keep the stop string or stop token in the text */
  readonly noStopTrim: boolean;
  /** decodes as the reader wants it, specials shown or not */
  readonly decode: Decode;
  /** decodes with specials shown: what stop strings are tested on */
  readonly decodeAll: Decode;
}

/** The text side of one answer: what may be shown so far, and whether a stop string has been completed. */
export class TextOutput {
  readonly #rules: TextRules;
  readonly #visible: IncrementalDetokenizer;
  readonly #tested: IncrementalDetokenizer | null;
  readonly #matcher: StopStringMatcher;
  /** decoded, but it may still turn out to be the beginning of a stop string */
  #held = '';

  constructor(rules: TextRules) {
    this.#rules = rules;
    this.#visible = new IncrementalDetokenizer(rules.decode);
    this.#tested = rules.stopStrings.length > 0 ? new IncrementalDetokenizer(rules.decodeAll) : null;
    this.#matcher = new StopStringMatcher(rules.stopStrings);
  }

  /** First of two calls per token: the stop string it completes, or null. */
  test(id: number): string | null {
    return this.#tested === null ? null : this.#matcher.push(this.#tested.push(id));
  }

  /** Second call, while the answer goes on: text that is certain now. */
  push(id: number): string {
    this.#held += this.#visible.push(id);
    const keep = this.#rules.noStopTrim ? 0 : heldBackLength(this.#held, this.#rules.stopStrings);
    const certain = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(certain.length);
    return certain;
  }

  /** Instead of `push` for the last token (null when an abort brings none): the rest of the text. */
  end(id: number | null, reason: FinishReason): string {
    const isStopToken = reason.type === 'stop' && typeof reason.matched === 'number';
    if (id !== null && (!isStopToken || this.#rules.noStopTrim)) this.#held += this.#visible.push(id);
    const rest = this.#held + this.#visible.flush();
    if (reason.type !== 'stop' || typeof reason.matched !== 'string' || this.#rules.noStopTrim) return rest;
    const cut = rest.indexOf(reason.matched);
    return cut < 0 ? rest : rest.slice(0, cut);
  }
}
