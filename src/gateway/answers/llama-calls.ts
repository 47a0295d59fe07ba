import type { CallReader, CallReading, CallSyntax } from './call-syntax';
import { callOfObject } from './json-call';
import { JsonScanner } from './json-scanner';
import { skipBlank } from './tag-search';

const PYTHON_TAG = '<|python_tag|>';

/** Llama 3.1 and 3.2: `{"name": …, "parameters": {…}}`, bare or behind the tag, several with a semicolon between them. */
export const llamaCalls: CallSyntax = {
  openings: [PYTHON_TAG],
  brackets: [],
  innerTags: [],
  isBareAllowed: true,
  createReader: () => new LlamaReader(),
  forcedOpening: (name) => (name === null ? '{"name": "' : `{"name": ${JSON.stringify(name)}, "parameters":`),
};

/** There is no end tag to go on to: text goes on where JSON breaks, or behind an object that is no call. */
class LlamaReader implements CallReader {
  #json: JsonScanner | null = null;

  read(text: string, isEnd: boolean): CallReading {
    const start = text.startsWith(PYTHON_TAG) ? skipBlank(text, PYTHON_TAG.length) : 0;
    if (start >= text.length) return isEnd ? { kind: 'text', length: text.length } : { kind: 'more' };
    if (text[start] !== '{') return { kind: 'text', length: start };
    this.#json ??= new JsonScanner(start);
    const state = this.#json.scan(text);
    if (state === 'more') return isEnd ? { kind: 'text', length: text.length } : { kind: 'more' };
    const length = this.#json.position;
    const call = state === 'done' ? callOfObject(text, this.#json) : null;
    return call === null ? { kind: 'text', length } : { kind: 'call', call, length };
  }
}
