import type { IncrementalDecoder } from './chat-tokenizer';
import { REPLACEMENT } from './token-pieces';

/** Tokens kept as context of the next ones: decoders such as SentencePiece's treat the first token of a text differently. */
const CONTEXT_TOKENS = 8;
/** Tokens after which the window is cut back, so that each push costs the same however long the answer is. */
const WINDOW_TOKENS = 48;

/**
 * Decodes a growing list of ids by decoding a short window of the newest ones.
 *
 * An incomplete character decodes to one replacement character at the end; it is held back until more ids complete it
 * or prove it invalid.
 */
export function createIncrementalDecoder(decode: (tokenIds: readonly number[]) => string): IncrementalDecoder {
  let window: number[] = [];
  let emitted = 0;

  const take = (text: string): string => {
    const fresh = text.length > emitted ? text.slice(emitted) : '';
    emitted = Math.max(emitted, text.length);
    return fresh;
  };

  return {
    push: (tokenIds) => {
      let result = '';
      // One id at a time, so that the outcome does not depend on how the engine happened to group them.
      for (const id of tokenIds) {
        window.push(id);
        const text = decode(window);
        const isWhole = !text.endsWith(REPLACEMENT);
        result += take(isWhole ? text : text.slice(0, -1));
        if (isWhole && window.length > WINDOW_TOKENS) {
          const context = window.slice(-CONTEXT_TOKENS);
          window = context;
          emitted = decode(context).length;
        }
      }
      return result;
    },
    flush: () => (window.length === 0 ? '' : take(decode(window))),
  };
}
