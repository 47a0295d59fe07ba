/** Lines of a child that are kept for the error a person sees. */
export const LOG_TAIL_LINES = 500;
const MAX_LINE_CHARACTERS = 4000;

/** The last lines of a child's output, oldest first. */
export class LogTail {
  readonly #lines: string[] = [];

  constructor(private readonly capacity: number = LOG_TAIL_LINES) {}

  append(line: string): void {
    this.#lines.push(line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line);
    // In blocks, because shifting one line at a time is what a child that spews would make slow.
    if (this.#lines.length >= this.capacity * 2) this.#lines.splice(0, this.#lines.length - this.capacity);
  }

  lines(): string[] {
    return this.#lines.slice(-this.capacity);
  }
}

/** Cuts a byte stream into lines; a line longer than the limit is delivered in pieces, so memory stays bounded. */
export class LineSplitter {
  #rest = '';
  readonly #decoder = new TextDecoder();

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly maxCharacters: number = 4 * 1024 * 1024,
  ) {}

  push(chunk: Uint8Array): void {
    const parts = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.onLine(part.endsWith('\r') ? part.slice(0, -1) : part);
    if (this.#rest.length > this.maxCharacters) this.flush();
  }

  /** Delivers what stands after the last line end. */
  flush(): void {
    const rest = this.#rest;
    this.#rest = '';
    if (rest !== '') this.onLine(rest);
  }
}
