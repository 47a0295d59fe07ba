/** 256 single bytes, then the ChatML specials: every text encodes, and ids are easy to reason about. */
export const TINY_SPECIALS = { imStart: 256, imEnd: 257, endOfText: 258 } as const;
export const TINY_VOCAB_SIZE = 259;

const SPECIAL_TEXT = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'] as const;

/** A `tokenizer.json` of byte-level BPE without merges: token id = byte value. */
export function byteLevelTokenizer(): object {
  const vocab: Record<string, number> = {};
  byteAlphabet().forEach((character, byte) => {
    vocab[character] = byte;
  });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TEXT.map((content, i) => ({
      id: 256 + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges: [],
    },
  };
}

export function tinyTokenizerConfig(): object {
  return {
    tokenizer_class: 'Qwen2Tokenizer',
    eos_token: '<|im_end|>',
    pad_token: '<|endoftext|>',
    add_bos_token: false,
    clean_up_tokenization_spaces: false,
    chat_template:
      '{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}',
  };
}

/** GPT-2's byte ↔ printable character table: printable bytes map to themselves, the rest to U+0100 onwards. */
function byteAlphabet(): string[] {
  const isPrintable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}
