/**
 * Byte-level BPE, trained from scratch into HF's `tokenizer.json`. Runs at build time only: the packages that read this
 * format in JavaScript cannot train it to a chosen size.
 */

export interface BpeModel {
  /** token → id; bytes first, then merges in order */
  readonly vocab: ReadonlyMap<string, number>;
  readonly merges: readonly (readonly [string, string])[];
}

/** Qwen2's pre-tokenizer: digits stand alone, words keep their leading space. */
export const SPLIT_PATTERN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** Learns merges from texts until the vocabulary has `size` entries. Ties go to the pair that sorts first. */
export function trainBpe(texts: Iterable<string>, size: number): BpeModel {
  const alphabet = byteAlphabet();
  const vocab = new Map(alphabet.map((character, byte) => [character, byte]));
  const merges: (readonly [string, string])[] = [];
  let words = countWords(texts, alphabet);
  while (vocab.size < size) {
    const best = mostFrequentPair(words);
    if (best === null) throw new Error(`the corpus allows only ${vocab.size} tokens, ${size} were asked for`);
    merges.push(best);
    vocab.set(best.join(''), vocab.size);
    words = words.map(({ parts, count }) => ({ parts: merge(parts, best), count }));
  }
  return { vocab, merges };
}

/** The model as `tokenizer.json`, with the special tokens after the vocabulary. */
export function tokenizerJson(model: BpeModel, specials: readonly string[]): object {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content, i) => ({
      id: model.vocab.size + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: SPLIT_PATTERN }, behavior: 'Isolated', invert: false },
        byteLevel,
      ],
    },
    post_processor: byteLevel,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(model.vocab),
      merges: model.merges,
    },
  };
}

interface CountedWord {
  readonly parts: readonly string[];
  readonly count: number;
}

function countWords(texts: Iterable<string>, alphabet: readonly string[]): CountedWord[] {
  // JavaScript has inline flags only since Node 23; the specials of this group are lower case in the corpus
  const splitter = new RegExp(SPLIT_PATTERN.replace('(?i:', '(?:'), 'gu');
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of text.normalize('NFC').match(splitter) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({
    parts: Array.from(encoder.encode(word), (byte) => alphabet[byte]!),
    count,
  }));
}

function mostFrequentPair(words: readonly CountedWord[]): readonly [string, string] | null {
  const counts = new Map<string, number>();
  for (const { parts, count } of words) {
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = `${parts[i]} ${parts[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | null = null;
  let most = 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== null && pair < best)) [best, most] = [pair, count];
  }
  if (best === null) return null;
  const [left = '', right = ''] = best.split(' ');
  return [left, right];
}

function merge(parts: readonly string[], [left, right]: readonly [string, string]): readonly string[] {
  if (!parts.includes(left)) return parts;
  const merged: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] === left && parts[i + 1] === right) {
      merged.push(left + right);
      i++;
    } else merged.push(parts[i]!);
  }
  return merged;
}

/** GPT-2's byte → printable character table: printable bytes stand for themselves, the rest from U+0100 on. */
function byteAlphabet(): string[] {
  const isPrintable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}
