import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLevelTokenizer, tinyTokenizerConfig } from '../../embedded/model/testing/tiny-tokenizer';
import { type ModelFolder, openModelFolder } from '../platform/model-files';
import { loadChatTokenizer } from './huggingface-tokenizer';
import { readTokenPieces } from './token-pieces';

interface TokenizerFile {
  readonly added_tokens: readonly { readonly id: number; readonly content: string; readonly special: boolean }[];
  readonly decoder: { readonly type: string };
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

const plain = byteLevelTokenizer() as TokenizerFile; // as it is written there
const alphabet = Object.keys(plain.model.vocab);
/** The text of a token in the alphabet of bytes. */
const spelled = (text: string | readonly number[]): string =>
  [...(typeof text === 'string' ? Buffer.from(text) : text)].map((byte) => alphabet[byte]).join('');

const WORDS = [
  ...['hello', ' a', 'é', '中文', '\uFEFF', '\uFEFFx', '\uFFFD', '😀', '\0'].map(spelled),
  ...[
    [0xf0, 0x9f],
    [0x98, 0x80, 0x61],
    [0x61, 0xe4],
    [0xed, 0xa0],
    [0xef, 0xbb],
    [0xc0, 0xaf],
    [0x80, 0xf4],
  ].map(spelled),
  '', // a token of no bytes
  '中', // no character of the alphabet
  'Ġ｜', // nor is its second
  '<twin>',
];
const ADDED = [
  ['<|im_start|>', true],
  ['<|im_end|>', true],
  ['<think>', false],
  ['｜é▁｜', false],
  ['<twin>', false],
  [spelled(' '), false],
] as const;

/** Every byte by itself, then words, an id that no token has, and added tokens. */
function handmade(changes: { readonly model?: object; readonly decoder?: object } = {}): TokenizerFile {
  const words = WORDS.map((token, at): [string, number] => [token, 256 + at]);
  const firstAdded = 256 + WORDS.length + 1;
  return {
    ...plain,
    added_tokens: ADDED.map(([content, special], at) => ({
      ...{ id: firstAdded + at, content, special },
      ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
    })),
    model: {
      ...plain.model,
      ...changes.model,
      vocab: { ...plain.model.vocab, ...Object.fromEntries(words) },
    },
    decoder: { ...plain.decoder, ...changes.decoder },
  };
}

function folderOf(tokenizer: TokenizerFile): ModelFolder {
  const files: Record<string, object> = {
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': tinyTokenizerConfig(),
    'config.json': { vocab_size: 400 },
  };
  const readJsonIfPresent = (file: string): unknown => files[file] ?? null;
  const readTextIfPresent = (): null => null;
  return { path: 'handmade', name: 'handmade', readJson: readJsonIfPresent, readJsonIfPresent, readTextIfPresent };
}

const BYTES_ALONE = {
  'the demo model': openModelFolder('assets/demo-model'),
  'every byte and odd tokens': folderOf(handmade()),
  'an unknown token that was added': folderOf(handmade({ model: { unk_token: '<think>' } })),
  'an unknown token of bytes': folderOf(handmade({ model: { unk_token: spelled([0x61, 0xc3]) } })),
  'a sequence of one': folderOf(handmade({ decoder: { type: 'Sequence', decoders: [{ type: 'ByteLevel' }] } })),
};

const KEPT = [undefined, [], ['<|im_start|>'], ['<|im_start|>', '<|im_end|>', '<think>']];
/** First bytes of characters, and where the second ones begin and end. */
const EDGES = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbb, 0xbf, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0, 0xe4, 0xed, 0xef];
const HIGH_EDGES = [0xf0, 0xf1, 0xf4, 0xf5, 0xff];

describe.each(Object.entries(BYTES_ALONE))('decoding with %s', (_name, folder) => {
  const file = folder.readJson('tokenizer.json') as TokenizerFile; // each of these has the parts
  const library = new Tokenizer(file, folder.readJson('tokenizer_config.json') as object);
  const tokenizer = loadChatTokenizer(folder);
  const beyond = 3 + Math.max(...Object.values(file.model.vocab), ...file.added_tokens.map(({ id }) => id));

  const wholeText = (ids: readonly number[], keep: readonly string[] = []): string => {
    const hidden = file.added_tokens.filter(({ special, content }) => special && !keep.includes(content));
    const shown = ids.filter((id) => !hidden.some((token) => token.id === id));
    return shown.length === 0 ? '' : library.decode(shown, { clean_up_tokenization_spaces: false });
  };

  const byteIds = [...EDGES, ...HIGH_EDGES].map((byte) => file.model.vocab[alphabet[byte] ?? ''] ?? 0);
  const tokenId = fc.oneof(
    { arbitrary: fc.constantFrom(...byteIds), weight: 3 },
    { arbitrary: fc.integer({ min: 0, max: beyond }), weight: 1 },
    { arbitrary: fc.integer({ min: Math.min(256, beyond), max: beyond }), weight: 2 },
  );
  const writtenIds = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => tokenizer.encode(text));
  const someIds = fc
    .array(
      fc.oneof(
        tokenId.map((id) => [id]),
        writtenIds,
      ),
      { maxLength: 25 },
    )
    .map((parts) => parts.flat());
  const kept = fc.constantFrom(...KEPT);

  it('is not left to the library', () => {
    expect(readTokenPieces(library)).not.toBeNull();
  });

  it('gives what the library makes of the whole, however the ids are grouped', () => {
    const sizes = fc
      .array(fc.integer({ min: 0, max: 7 }), { minLength: 1 })
      .filter((all) => all.some((size) => size > 0));
    fc.assert(
      fc.property(someIds, kept, sizes, (ids, keep, groups) => {
        const decoder = tokenizer.createDecoder(keep);
        let text = '';
        for (let at = 0, turn = 0; at < ids.length; turn += 1) {
          const size = groups[turn % groups.length] ?? 1;
          text += decoder.push(ids.slice(at, at + size));
          at += size;
        }
        expect(text + decoder.flush()).toBe(wholeText(ids, keep));
        expect(decoder.flush()).toBe('');
      }),
      { numRuns: 600 },
    );
  });

  it('gives at every token all that is certain, and nothing else', () => {
    fc.assert(
      fc.property(someIds, kept, (ids, keep) => {
        const decoder = tokenizer.createDecoder(keep);
        let text = '';
        for (const [at, id] of ids.entries()) {
          text += decoder.push([id]);
          const soFar = wholeText(ids.slice(0, at + 1), keep);
          // A character that may still become whole is the only thing held back.
          expect([soFar, soFar.replace(/\uFFFD$/, '')]).toContain(text);
        }
        expect(wholeText(ids, keep).startsWith(text)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('describes every token', () => {
    fc.assert(
      fc.property(someIds, (ids) => {
        const texts = tokenizer.describeTokens(ids);
        expect(texts).toHaveLength(ids.length);
        const specials = new Map(file.added_tokens.filter(({ special }) => special).map((token) => [token.id, token]));
        for (const [at, id] of ids.entries()) if (specials.has(id)) expect(texts[at]).toBe(specials.get(id)?.content);
        const others = texts.filter((_text, at) => !specials.has(ids[at] ?? -1)).join('');
        expect([wholeText(ids), wholeText(ids).replace(/\uFFFD$/, '')]).toContain(others);
      }),
    );
  });
});

describe('a character in bytes', () => {
  const tokenizer = loadChatTokenizer(folderOf(handmade()));

  it.each<[string, number[], string[], string]>([
    ['is whole at its last byte', [0xf0, 0x9f, 0x98, 0x80], ['', '', '', '😀'], ''],
    ['that never ends is one mistake', [0xf0, 0x9f, 0x98], ['', '', ''], '\uFFFD'],
    ['that is broken off is one mistake', [0xe4, 0xb8, 0x41], ['', '', '\uFFFDA'], ''],
    ['gives way to the next one', [0xe4, 0xc3, 0xa9], ['', '\uFFFD', 'é'], ''],
    ['cannot begin with a continuation', [0x80, 0x41], ['\uFFFD', 'A'], ''],
    ['is not longer than it must be', [0xe0, 0x9f, 0xbf], ['', '\uFFFD\uFFFD', '\uFFFD'], ''],
    ['is not half of a pair', [0xed, 0xa0, 0x80], ['', '\uFFFD\uFFFD', '\uFFFD'], ''],
    ['ends with U+10FFFF', [0xf4, 0x90], ['', '\uFFFD\uFFFD'], ''],
    ['is not begun by these bytes', [0xc1, 0xf5], ['\uFFFD', '\uFFFD'], ''],
  ])('%s', (_rule, ids, pushed, rest) => {
    const decoder = tokenizer.createDecoder();
    expect(ids.map((id) => decoder.push([id]))).toEqual(pushed);
    expect(decoder.flush()).toBe(rest);
  });
});

describe('readTokenPieces', () => {
  const piecesOf = (file: object) => readTokenPieces(new Tokenizer(file, tinyTokenizerConfig()));

  it.each<[string, object]>([
    ['no decoder', { ...plain, decoder: null }],
    ['pieces of sentences', { ...plain, decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' } }],
    [
      'another decoder behind',
      handmade({ decoder: { type: 'Sequence', decoders: [{ type: 'ByteLevel' }, { type: 'Fuse' }] } }),
    ],
    [
      'bytes of bytes',
      handmade({ decoder: { type: 'Sequence', decoders: [{ type: 'ByteLevel' }, { type: 'ByteLevel' }] } }),
    ],
    ['an empty sequence', handmade({ decoder: { type: 'Sequence', decoders: [] } })],
    ['ends of words', handmade({ model: { end_of_word_suffix: '</w>' } })],
    ['half a character', { ...plain, model: { ...plain.model, vocab: { ...plain.model.vocab, '\uDE00': 259 } } }],
  ])('leaves a tokenizer with %s to the library', (_what, file) => {
    expect(piecesOf(file)).toBeNull();
  });

  it('works every piece out once', () => {
    const pieces = piecesOf(handmade());
    if (pieces === null) return expect.unreachable();
    expect(pieces(0xc3)).toBe(pieces(0xc3));
    expect([pieces(0x61), pieces(0xc3)]).toEqual(['a', Uint8Array.of(0xc3)]);
  });

  it('lets ends of words become spaces, as the library does', () => {
    const tokenizer = loadChatTokenizer(folderOf(handmade({ model: { end_of_word_suffix: 'hello' } })));
    const decoder = tokenizer.createDecoder();
    expect(decoder.push([0x61, 256, 0x62]) + decoder.flush()).toBe('a b');
  });
});
