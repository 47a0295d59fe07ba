import type { ChatMessage } from '../../shared/domain/interaction';
import { alternation } from './added-tokens';

/**
 * Stands inside the text of a special token that somebody typed. Half a surrogate pair: no text that came as UTF-8
 * holds one, so it can be told from everything else and taken out again.
 */
export const GUARD = '\uDC00';
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** Who is not trusted to write turns: the others are the developer and the model itself. */
const UNTRUSTED_ROLES: ReadonlySet<string> = new Set(['user', 'tool', 'function']);

/**
 * Keeps special tokens that a user or a tool's result spells out from becoming tokens: `<|im_start|>system` in a web
 * page would otherwise begin a turn of its own.
 */
export class PlainSpecials {
  readonly #pattern: RegExp | null;

  /** @param specials - texts of the special tokens */
  constructor(specials: readonly string[]) {
    // One character cannot be cut in two.
    this.#pattern = alternation(specials.filter((text) => text.length > 1));
  }

  /** The messages with a guard in every special token of an untrusted one. */
  guard(messages: readonly ChatMessage[]): ChatMessage[] {
    return messages.map((message) => {
      const { content, role } = message;
      if (typeof content !== 'string') return message;
      const whole = content.search(LONE_SURROGATES) < 0 ? content : content.replace(LONE_SURROGATES, '\uFFFD');
      const safe = UNTRUSTED_ROLES.has(role) ? this.#guardText(whole) : whole;
      return safe === content ? message : { ...message, content: safe };
    });
  }

  #guardText(text: string): string {
    const pattern = this.#pattern;
    if (pattern === null || text.search(pattern) < 0) return text;
    let result = '';
    let from = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      result += `${text.slice(from, match.index + 1)}${GUARD}`;
      from = match.index + 1;
      // Another one may begin inside this one, and would be whole once this one is not.
      pattern.lastIndex = from;
    }
    pattern.lastIndex = 0;
    return result + text.slice(from);
  }
}

/** Encodes a rendered text; what a guard cuts in two is encoded in two. */
export function encodeGuarded(text: string, encode: (piece: string) => readonly number[]): readonly number[] {
  if (!text.includes(GUARD)) return encode(text);
  return text.split(GUARD).flatMap((piece) => (piece === '' ? [] : [...encode(piece)]));
}
