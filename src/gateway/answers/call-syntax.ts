import type { ToolDefinition } from '../../shared/domain/chat-call';

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: string;
  /** JSON text of an object */
  readonly arguments: string;
}

/**
 * What the text of a call has turned out to be. `length` counts from the beginning of its opening.
 *
 * `call`: complete · `text`: so many characters can never be one · `more`: not certain yet.
 */
export type CallReading =
  | { readonly kind: 'more' }
  | { readonly kind: 'call'; readonly call: WrittenCall; readonly length: number }
  | { readonly kind: 'text'; readonly length: number };

/** Reads one call from a growing text that begins with an opening; remembers how far it got. */
export interface CallReader {
  /** @param isEnd - no more text will come; the answer is then never `more` */
  read(text: string, isEnd: boolean): CallReading;
}

/** How one family writes tool calls. */
export interface CallSyntax {
  /** tags that begin a call */
  readonly openings: readonly string[];
  /** tags around or behind calls that say nothing by themselves */
  readonly brackets: readonly string[];
  /** tags within calls that may be special tokens */
  readonly innerTags: readonly string[];
  /** a call may also be a bare JSON object where an answer begins; more of them follow behind a semicolon */
  readonly isBareAllowed: boolean;
  createReader(tools: readonly ToolDefinition[]): CallReader;
  forcedOpening(toolName: string | null): string;
}
