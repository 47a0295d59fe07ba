import type { IncrementalDecoder } from './chat-tokenizer';
import { decodeBytes, REPLACEMENT, type TokenPieces } from './token-pieces';

/**
 * Decodes a growing list of ids by joining their pieces; an unfinished character is held back until more ids complete
 * it or prove it invalid.
 *
 * Together it is what decoding all bytes at once gives, because the cut is always made before the first byte of a
 * character, where a decoder remembers nothing.
 *
 * @param isHidden - tokens that are left out, also between the bytes of a character
 */
export function createByteLevelDecoder(
  pieceOf: TokenPieces,
  isHidden: (tokenId: number) => boolean,
): IncrementalDecoder {
  let pending: Uint8Array = NOTHING;

  /** However many bytes there are, a character that was never finished is replaced by one. */
  const flush = (): string => {
    const isUnfinished = pending.length > 0;
    pending = NOTHING;
    return isUnfinished ? REPLACEMENT : '';
  };

  const add = (bytes: Uint8Array): string => {
    const all = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    const end = finishedLength(all);
    pending = end === all.length ? NOTHING : all.subarray(end);
    return end === 0 ? '' : decodeBytes(all.subarray(0, end));
  };

  return {
    push: (tokenIds) => {
      let text = '';
      for (const id of tokenIds) {
        if (isHidden(id)) continue;
        const piece = pieceOf(id);
        text += typeof piece === 'string' ? flush() + piece : add(piece);
      }
      return text;
    },
    flush,
  };
}

const NOTHING = new Uint8Array();

/** Bytes before the last character, if that may still be completed; all of them otherwise. */
function finishedLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let start = length - 1; start >= 0 && start >= length - 3; start -= 1) {
    const byte = bytes[start] as number; // within the bounds
    if (!isContinuation(byte)) return isUnfinished(byte, bytes.subarray(start + 1)) ? start : length;
  }
  return length;
}

/** Whether a first byte and the continuations behind it begin a character of UTF-8 that has more. */
function isUnfinished(first: number, behind: Uint8Array): boolean {
  if (first < 0xc2 || first > 0xf4) return false;
  const missing = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  const second = behind[0];
  return behind.length < missing && (second === undefined || fitsSecond(first, second));
}

/** Longer forms than needed, halves of surrogate pairs and what lies above U+10FFFF are recognized by the second byte. */
function fitsSecond(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second < 0x90;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
