import type { CallReader, CallReading, CallSyntax, WrittenCall } from './call-syntax';
import { argumentsText } from './json-call';
import { JsonScanner } from './json-scanner';
import { findTag, literalAt, skipBlank } from './tag-search';

const CALLS_BEGIN = '<｜tool▁calls▁begin｜>';
const CALLS_END = '<｜tool▁calls▁end｜>';
const CALL_BEGIN = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = '```json';
const FENCE_END = '```';

/** V3 and R1 write `function<sep>NAME` and the arguments in a code block; V3.1 writes `NAME<sep>{…}`. Both are read. */
export function deepseekCalls(isFenced: boolean): CallSyntax {
  return {
    openings: [CALL_BEGIN],
    brackets: [CALLS_BEGIN, CALLS_END, CALL_END],
    innerTags: [SEPARATOR],
    isBareAllowed: false,
    createReader: () => new DeepseekReader(),
    forcedOpening: (name) => {
      const opening = `${CALLS_BEGIN}${CALL_BEGIN}`;
      if (isFenced) return `${opening}function${SEPARATOR}${name === null ? '' : `${name}\n${FENCE}\n`}`;
      return name === null ? opening : `${opening}${name}${SEPARATOR}`;
    },
  };
}

class DeepseekReader implements CallReader {
  #name = '';
  #json: JsonScanner | null = null;
  #start = 0;
  #isFenced = false;
  #call: WrittenCall | null = null;
  #isBroken = false;

  read(text: string, isEnd: boolean): CallReading {
    if (!this.#isBroken && this.#json === null) this.#head(text);
    if (!this.#isBroken && this.#json !== null && this.#call === null) this.#body(text, this.#json);
    if (!this.#isBroken && this.#json !== null && this.#call !== null) {
      const length = this.#closing(text, this.#json.position, isEnd);
      if (length !== null) return { kind: 'call', call: this.#call, length };
    }
    if (this.#isBroken) {
      const next = findTag(text.slice(CALL_BEGIN.length), [CALL_END, CALLS_END, CALL_BEGIN]);
      if (next !== null) {
        const taken = next.tag === CALL_END ? CALL_END.length : 0;
        return { kind: 'text', length: CALL_BEGIN.length + next.index + taken };
      }
    }
    return isEnd ? { kind: 'text', length: text.length } : { kind: 'more' };
  }

  /** Everything before the arguments' brace. */
  #head(text: string): void {
    const separator = text.indexOf(SEPARATOR);
    const broken = findTag(text.slice(CALL_BEGIN.length), [CALL_END, CALLS_END, CALL_BEGIN]);
    if (broken !== null && (separator < 0 || CALL_BEGIN.length + broken.index < separator)) this.#isBroken = true;
    if (this.#isBroken || separator < 0) return;
    const first = text.slice(CALL_BEGIN.length, separator).trim();
    const behind = separator + SEPARATOR.length;
    let at = skipBlank(text, behind);
    if (at >= text.length) return;
    const isOlder = first === 'function' && text[at] !== '{' && literalAt(text, at, [FENCE]) === null;
    if (isOlder) {
      const length = text.slice(at).search(/[\n{]/);
      if (length < 0) return;
      this.#name = text.slice(at, at + length).trim();
      at = skipBlank(text, at + length);
    } else this.#name = first;
    const opening = at >= text.length ? 'more' : literalAt(text, at, [FENCE, '{']);
    if (opening === 'more') return;
    if (opening === null || this.#name === '') {
      this.#isBroken = true;
      return;
    }
    const brace = opening === FENCE ? skipBlank(text, at + FENCE.length) : at;
    if (brace >= text.length) return;
    this.#isFenced = opening === FENCE;
    if (text[brace] === '{') this.#json = new JsonScanner(brace);
    else this.#isBroken = true;
    this.#start = brace;
  }

  #body(text: string, json: JsonScanner): void {
    const state = json.scan(text);
    if (state === 'more') return;
    const written = state === 'done' ? argumentsText(text.slice(this.#start, json.position)) : null;
    if (written === null) this.#isBroken = true;
    else this.#call = { name: this.#name, arguments: written };
  }

  /** @returns the call's length; null when it is not certain yet, or broken after all */
  #closing(text: string, end: number, isEnd: boolean): number | null {
    let at = skipBlank(text, end);
    if (this.#isFenced && at < text.length) {
      const fence = literalAt(text, at, [FENCE_END]);
      if (fence === 'more') return isEnd ? text.length : null;
      if (fence === FENCE_END) at = skipBlank(text, at + FENCE_END.length);
    }
    if (at >= text.length) return isEnd ? text.length : null;
    const tag = literalAt(text, at, [CALL_END, CALLS_END, CALL_BEGIN]);
    if (tag === CALL_END) return at + CALL_END.length;
    if (tag === CALLS_END || tag === CALL_BEGIN) return at;
    if (tag === null) this.#isBroken = true;
    return tag === 'more' && isEnd ? text.length : null;
  }
}
