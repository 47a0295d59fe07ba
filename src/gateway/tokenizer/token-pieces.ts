import type { Tokenizer } from '@huggingface/tokenizers';

/**
 * What one token adds to a text: characters, before which an unfinished one ends, or bytes that may belong to a
 * character with those around them.
 */
export type TokenPiece = string | Uint8Array;

/** The piece of every id, also of those that no token has. */
export type TokenPieces = (tokenId: number) => TokenPiece;

/** What decoding makes of bytes that are no character. */
export const REPLACEMENT = '\uFFFD';

const textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** As the library decodes: whatever is no character is replaced, and a byte order mark is one. */
export function decodeBytes(bytes: Uint8Array): string {
  return textDecoder.decode(bytes);
}

/**
 * Pieces of a tokenizer whose decoder joins the bytes of tokens and does nothing else, as that of GPT-2, Qwen, Llama 3
 * and DeepSeek does. Each is worked out once.
 *
 * @returns null for any other: what a token says may depend on its neighbours there
 */
export function readTokenPieces({ decoder, model }: Tokenizer): TokenPieces | null {
  const literals = literalTokens(decoder);
  // A suffix is looked for in the whole text.
  if (literals === null || model === null || (model.end_of_word_suffix ?? '') !== '') return null;
  const { vocab } = model;
  const unknownToken = model.unk_token ?? null;
  // The library joins tokens before it reads them, so two such halves would be read as one character.
  if (vocab.some(beginsWithHalf) || (unknownToken !== null && beginsWithHalf(unknownToken))) return null;

  const pieceOf = (token: string): TokenPiece => (literals.has(token) ? token : pieceOfBytes(bytesOf(token)));
  const unknown = unknownToken === null ? NOTHING : pieceOf(unknownToken);
  const known = new Array<TokenPiece | undefined>(vocab.length).fill(undefined);
  return (id) => {
    const found = known[id];
    if (found !== undefined) return found;
    const token = vocab[id];
    if (token === undefined) return unknown;
    const piece = pieceOf(token);
    known[id] = piece;
    return piece;
  };
}

/** Tokens that stand for their own text instead of bytes; null when the decoder is not one of bytes alone. */
function literalTokens(decoder: Tokenizer['decoder']): ReadonlySet<string> | null {
  const config = decoder?.config;
  if (config?.type === 'ByteLevel') return new Set(decoder?.added_tokens.map((token) => token.content));
  // A sequence does not tell its decoders which tokens were added.
  const isBytesAlone = config?.type === 'Sequence' && config.decoders?.length === 1;
  return isBytesAlone && config.decoders[0]?.type === 'ByteLevel' ? new Set() : null;
}

const NOTHING = new Uint8Array();

/** Bytes that are whole characters need not be decoded ever again. Without any, an unfinished character goes on. */
function pieceOfBytes(bytes: Uint8Array): TokenPiece {
  const text = decodeBytes(bytes);
  return text === '' || text.includes(REPLACEMENT) ? bytes : text;
}

/** Characters that stand for no byte count as zero, as in the library. */
function bytesOf(token: string): Uint8Array {
  return Uint8Array.from([...token], (character) => BYTES.get(character) ?? 0);
}

function beginsWithHalf(token: string): boolean {
  return /^[\uDC00-\uDFFF]/.test(token);
}

/** GPT-2's alphabet: a byte with a visible Latin-1 character is that character, the others follow from U+0100 on. */
const BYTES = byteAlphabet();

function byteAlphabet(): ReadonlyMap<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 0x100; byte += 1) {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    alphabet.set(String.fromCharCode(isVisible ? byte : next), byte);
    if (!isVisible) next += 1;
  }
  return alphabet;
}
