import type { ToolDefinition } from '../../shared/domain/chat-call';
import type { WrittenCall } from './call-syntax';
import { coerceArgument, schemaOfParameter } from './coerce-argument';
import { literalAt, skipBlank } from './tag-search';

const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';

/**
 * Follows `<function=NAME><parameter=KEY>value</parameter>…</function>` through a growing text.
 *
 * A value is free text. It ends at the end tag behind which the format goes on, so a value may quote the format's own
 * tags. A parameter that opens at the beginning of a line within a value means that an end tag was forgotten.
 */
export class FunctionXmlScanner {
  readonly #parameters = new Map<string, string>();
  #state: 'function' | 'parameter-or-end' | 'value' = 'function';
  #position: number;
  #valueStart = 0;
  #searchFrom = 0;
  #name = '';
  #key = '';

  /** @param start - position of `<function=`, white space before it allowed */
  constructor(start: number) {
    this.#position = start;
  }

  /** behind the end tag when done */
  get position(): number {
    return this.#position;
  }

  scan(text: string): 'more' | 'done' | 'broken' {
    for (;;) {
      const step = this.#state === 'value' ? this.#value(text) : this.#tag(text);
      if (step !== 'next') return step;
    }
  }

  call(tools: readonly ToolDefinition[]): WrittenCall {
    const schema = tools.find((tool) => tool.name === this.#name)?.parameters ?? null;
    const members = [...this.#parameters].map(
      ([key, value]) => `${JSON.stringify(key)}: ${coerceArgument(value, schemaOfParameter(schema, key))}`,
    );
    return { name: this.#name, arguments: `{${members.join(', ')}}` };
  }

  #tag(text: string): 'next' | 'more' | 'done' | 'broken' {
    const at = skipBlank(text, this.#position);
    const expected = this.#state === 'function' ? [FUNCTION] : [PARAMETER, FUNCTION_END];
    const tag = at >= text.length ? 'more' : literalAt(text, at, expected);
    if (tag === 'more') return 'more';
    if (tag === null) return 'broken';
    if (tag === FUNCTION_END) {
      this.#position = at + tag.length;
      return 'done';
    }
    const nameEnd = text.indexOf('>', at);
    const name = text.slice(at + tag.length, nameEnd < 0 ? undefined : nameEnd);
    if (name.includes('\n') || name.includes('<')) return 'broken';
    if (nameEnd < 0) return 'more';
    if (name.trim() === '') return 'broken';
    if (tag === FUNCTION) this.#name = name.trim();
    else this.#key = name.trim();
    this.#state = tag === FUNCTION ? 'parameter-or-end' : 'value';
    this.#position = nameEnd + 1;
    this.#valueStart = this.#position;
    this.#searchFrom = this.#position;
    return 'next';
  }

  #value(text: string): 'next' | 'more' | 'broken' {
    const end = text.indexOf(PARAMETER_END, this.#searchFrom);
    if (end < 0) {
      this.#searchFrom = Math.max(this.#searchFrom, text.length - PARAMETER_END.length + 1);
      return 'more';
    }
    this.#searchFrom = end;
    const behind = skipBlank(text, end + PARAMETER_END.length);
    const next = behind >= text.length ? 'more' : literalAt(text, behind, [PARAMETER, FUNCTION_END]);
    if (next === 'more') return 'more';
    if (next === null) {
      this.#searchFrom = end + 1;
      return 'next';
    }
    const written = text.slice(this.#valueStart, end);
    if (written.includes(`\n${PARAMETER}`)) return 'broken';
    // The template sets values on lines of their own; further newlines are the value's.
    this.#parameters.set(this.#key, written.replace(/^\r?\n/, '').replace(/\r?\n$/, ''));
    this.#position = end + PARAMETER_END.length;
    this.#state = 'parameter-or-end';
    return 'next';
  }
}
