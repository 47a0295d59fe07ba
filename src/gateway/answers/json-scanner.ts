import { isBlank } from './tag-search';

/** A member of the outermost object: where its value stands in the text. */
export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

type Expectation = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

const SCALAR = /[^\s,\]}:"[{]*/y;
const SCALAR_FORM = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * Follows one JSON object through a growing text; every character is looked at once.
 *
 * It stops at the end of the object or at the first character that JSON does not allow there, so a missing quote is
 * noticed where it happens and does not swallow the rest of the answer.
 */
export class JsonScanner {
  /** members of the outermost object so far; a later one of the same name wins */
  readonly members = new Map<string, JsonMember>();
  readonly #open: ('{' | '[')[] = [];
  #expects: Expectation = 'value';
  #position: number;
  #stringStart = -1;
  #isBroken = false;
  #isDone = false;
  #key = '';
  #valueStart = -1;

  /** @param start - position of the opening brace */
  constructor(start: number) {
    this.#position = start;
  }

  /** behind the object when done, at the offending character when broken */
  get position(): number {
    return this.#position;
  }

  /** @param text - the same text as before with more behind it */
  scan(text: string): 'more' | 'done' | 'broken' {
    while (!this.#isDone && !this.#isBroken && this.#position < text.length) {
      const isStuck = this.#stringStart >= 0 ? !this.#string(text) : !this.#structure(text);
      if (isStuck) break;
    }
    return this.#isDone ? 'done' : this.#isBroken ? 'broken' : 'more';
  }

  /** @returns false when more text is needed */
  #string(text: string): boolean {
    while (isPlain(text.charCodeAt(this.#position))) this.#position += 1;
    const character = text[this.#position];
    if (character === undefined) return false;
    if (character === '\\') {
      if (this.#position + 1 >= text.length) return false;
      this.#position += 2;
      return true;
    }
    if (character !== '"') return this.#break();
    this.#position += 1;
    const start = this.#stringStart;
    this.#stringStart = -1;
    if (this.#expects !== 'key' && this.#expects !== 'key-or-end') return this.#endValue();
    if (this.#open.length === 1) this.#key = text.slice(start, this.#position);
    this.#expects = 'colon';
    return true;
  }

  #structure(text: string): boolean {
    const character = text[this.#position];
    if (isBlank(character)) return this.#advance(this.#expects);
    switch (this.#expects) {
      case 'colon':
        return character === ':' ? this.#advance('value') : this.#break();
      case 'comma-or-end':
        if (character === ',') return this.#advance(this.#open.at(-1) === '{' ? 'key' : 'value');
        return this.#close(character);
      case 'key-or-end':
        return character === '"' ? this.#beginString() : this.#close(character);
      case 'key':
        return character === '"' ? this.#beginString() : this.#break();
      case 'value-or-end':
        return character === ']' ? this.#close(character) : this.#value(text);
      case 'value':
        return this.#value(text);
    }
  }

  #value(text: string): boolean {
    if (this.#open.length === 1) this.#valueStart = this.#position;
    const character = text[this.#position];
    if (character === '"') return this.#beginString();
    if (character === '{' || character === '[') {
      this.#open.push(character);
      return this.#advance(character === '{' ? 'key-or-end' : 'value-or-end');
    }
    SCALAR.lastIndex = this.#position;
    SCALAR.test(text);
    const end = SCALAR.lastIndex;
    // The next character decides whether a number goes on.
    if (end === text.length) return false;
    if (!SCALAR_FORM.test(text.slice(this.#position, end))) return this.#break();
    this.#position = end;
    return this.#endValue();
  }

  #beginString(): boolean {
    this.#stringStart = this.#position;
    this.#position += 1;
    return true;
  }

  #close(character: string | undefined): boolean {
    if (character !== (this.#open.at(-1) === '{' ? '}' : ']')) return this.#break();
    this.#open.pop();
    this.#position += 1;
    return this.#endValue();
  }

  #endValue(): boolean {
    this.#expects = 'comma-or-end';
    if (this.#open.length === 0) this.#isDone = true;
    if (this.#open.length === 1) {
      const name = this.#key;
      this.members.set(name, { name, start: this.#valueStart, end: this.#position });
    }
    return true;
  }

  #advance(next: Expectation): boolean {
    this.#expects = next;
    this.#position += 1;
    return true;
  }

  #break(): boolean {
    this.#isBroken = true;
    return true;
  }
}

/** Goes on within a string: neither a quote, a backslash nor a control character, which JSON wants escaped. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}
