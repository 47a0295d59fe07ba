/** How much structure a JSON text may have; its bytes are limited elsewhere. */
export interface StructureLimits {
  /** values in lists and objects, however deep */
  readonly values: number;
  readonly levels: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts values and levels of a JSON text while it arrives, without parsing it.
 *
 * Megabytes of text are cheap to handle; megabytes of small values are not, and everybody else would wait for them. Text
 * that is no JSON is counted somehow: the parser will say what is wrong with it.
 */
export class JsonMeter {
  #values = 0;
  #level = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(private readonly limits: StructureLimits) {}

  /** @returns the limit that is exceeded; null when none is */
  addBytes(bytes: Uint8Array): keyof StructureLimits | null {
    // Locals: this loop sees every byte of every body.
    let [values, level, isInString, isEscaped] = [this.#values, this.#level, this.#isInString, this.#isEscaped];
    let deepest = level;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA) values += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level -= 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        values += 1;
        level += 1;
        if (level > deepest) deepest = level;
      }
    }
    [this.#values, this.#level, this.#isInString, this.#isEscaped] = [values, level, isInString, isEscaped];
    if (deepest > this.limits.levels) return 'levels';
    return values > this.limits.values ? 'values' : null;
  }

  /** A text of its own, counted on top of what was counted before. */
  addText(text: string): keyof StructureLimits | null {
    this.#level = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    return this.addBytes(encoder.encode(text));
  }
}

const encoder = new TextEncoder();
