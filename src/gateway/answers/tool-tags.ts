import type { ToolDefinition } from '../../shared/domain/chat-call';
import type { CallReader, CallReading, CallSyntax, WrittenCall } from './call-syntax';
import { FunctionXmlScanner } from './function-xml';
import { callOfObject } from './json-call';
import { JsonScanner } from './json-scanner';
import { literalAt, skipBlank } from './tag-search';

const OPENING = '<tool_call>';
const CLOSING = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';

/** Qwen2.5, Qwen3 and Hermes: one JSON object `{"name": …, "arguments": {…}}` in each pair of tags. */
export const jsonInToolTags: CallSyntax = {
  openings: [OPENING],
  brackets: [CLOSING],
  innerTags: [],
  isBareAllowed: false,
  createReader: (tools) => new ToolTagReader(tools),
  forcedOpening: (name) =>
    name === null ? `${OPENING}\n{"name": "` : `${OPENING}\n{"name": ${JSON.stringify(name)}, "arguments":`,
};

/** Qwen3-Coder: `<function=NAME>` with a tag for each parameter; the tags around it are sometimes forgotten. */
export const xmlInToolTags: CallSyntax = {
  openings: [OPENING, FUNCTION],
  brackets: [CLOSING],
  innerTags: [],
  isBareAllowed: false,
  createReader: (tools) => new ToolTagReader(tools),
  forcedOpening: (name) => (name === null ? `${OPENING}\n${FUNCTION}` : `${OPENING}\n${FUNCTION}${name}>\n`),
};

/** Both forms are read whichever the template shows: models trained on one have seen the other. */
class ToolTagReader implements CallReader {
  #json: JsonScanner | null = null;
  #xml: FunctionXmlScanner | null = null;
  #call: WrittenCall | null = null;
  #end = 0;
  #isBroken = false;

  constructor(private readonly tools: readonly ToolDefinition[]) {}

  read(text: string, isEnd: boolean): CallReading {
    if (!this.#isBroken && this.#call === null) this.#body(text);
    if (!this.#isBroken && this.#call !== null) {
      const reading = this.#closing(text, isEnd);
      if (reading !== null) return reading;
    }
    if (this.#isBroken) return this.#broken(text, isEnd);
    return isEnd ? { kind: 'text', length: text.length } : { kind: 'more' };
  }

  #body(text: string): void {
    const opening = text.startsWith(FUNCTION) ? '' : OPENING;
    const start = skipBlank(text, opening.length);
    if (this.#json === null && this.#xml === null) {
      if (start >= text.length) return;
      if (text[start] === '{') this.#json = new JsonScanner(start);
      else {
        const tag = literalAt(text, start, [FUNCTION]);
        if (tag === null) this.#isBroken = true;
        if (tag === FUNCTION) this.#xml = new FunctionXmlScanner(start);
      }
    }
    const scanner = this.#json ?? this.#xml;
    const state = scanner?.scan(text) ?? 'more';
    if (scanner === null || state === 'more') return;
    if (state === 'done') {
      this.#end = scanner.position;
      this.#call = this.#json === null ? (this.#xml?.call(this.tools) ?? null) : callOfObject(text, this.#json);
    }
    this.#isBroken = this.#call === null;
  }

  /** A forgotten end tag is forgiven where the next call or the end of the answer shows that nothing else was meant. */
  #closing(text: string, isEnd: boolean): CallReading | null {
    if (this.#call === null) return null;
    const at = skipBlank(text, this.#end);
    const isBareFunction = text.startsWith(FUNCTION);
    if (at >= text.length) {
      if (isEnd) return { kind: 'call', call: this.#call, length: text.length };
      return isBareFunction ? { kind: 'call', call: this.#call, length: this.#end } : { kind: 'more' };
    }
    const tag = literalAt(text, at, [CLOSING, OPENING]);
    if (tag === CLOSING) return { kind: 'call', call: this.#call, length: at + CLOSING.length };
    if (tag === OPENING || isBareFunction) return { kind: 'call', call: this.#call, length: this.#end };
    if (tag === 'more') return isEnd ? { kind: 'call', call: this.#call, length: text.length } : { kind: 'more' };
    this.#isBroken = true;
    return null;
  }

  #broken(text: string, isEnd: boolean): CallReading {
    const closing = text.startsWith(FUNCTION) ? FUNCTION_END : CLOSING;
    const at = text.indexOf(closing);
    if (at >= 0) return { kind: 'text', length: at + closing.length };
    return isEnd ? { kind: 'text', length: text.length } : { kind: 'more' };
  }
}
