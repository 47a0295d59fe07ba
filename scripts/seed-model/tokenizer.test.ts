import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Template } from '@huggingface/jinja';
import { Tokenizer as JavaScriptTokenizer } from '@huggingface/tokenizers';
import { Tokenizer as RustTokenizer } from 'tokenizers';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleConversation } from '../../src/embedded/world/conversation';
import { integer, pick, type Random, seededRandom } from '../../src/embedded/world/random';
import { type ChatEncoder, makeChatEncoder } from './chat-encoder';
import { buildTokenizer, DEMO_CONFIG, IM_END, SPECIALS, VOCAB_SIZE } from './model-files';
import { packRows } from './packing';

const asset = (name: string) =>
  readFile(fileURLToPath(new URL(`../../assets/demo-model/${name}`, import.meta.url)), 'utf8');

let tokenizerText: string;
let tokenizerConfig: { chat_template: string; eos_token: string };
let encoder: ChatEncoder;

beforeAll(async () => {
  tokenizerText = await asset('tokenizer.json');
  tokenizerConfig = JSON.parse(await asset('tokenizer_config.json'));
  encoder = makeChatEncoder(JSON.parse(tokenizerText), tokenizerConfig);
});

/** Chats of the world, then everything the world is not: emoji, CJK, combining marks, white space, specials. */
function texts(random: Random): string[] {
  const worldly = Array.from({ length: 2000 }, () =>
    sampleConversation(random, 1).map(({ content }) => content),
  ).flat();
  const pieces = [
    ...['a', 'Ugh', ' the', '7', '42', '999', "'s", "DON'T", ' ', '  ', '\n', '\r\n', '\t', '.', '...', '!?', '_', '-'],
    ...['你好', '等于', '天空', '日本語', '한국어', 'é', 'e\u0301', 'ß', 'Ω', 'ж', 'שלום', 'हिन्दी', '½', 'ǅ'],
    ...['😀', '👩‍👩‍👧‍👦', '🇩🇪', '✊🏿', '\u200d', '\ufeff', '\u00a0', '\u3000', '\u0000', '𝒳', '�', ...SPECIALS],
  ];
  const wild = Array.from({ length: 3000 }, () =>
    Array.from({ length: integer(random, 0, 12) }, () => pick(random, pieces)).join(''),
  );
  return [...worldly, ...wild];
}

describe('the demo tokenizer', () => {
  it('is what the script builds', () => {
    const built = buildTokenizer();
    // compared as a whole: a difference would fill the screen with merges
    expect(`${JSON.stringify(built.tokenizer)}\n` === tokenizerText).toBe(true);
    expect(tokenizerConfig).toEqual(built.tokenizerConfig);
  });

  it('has exactly as many entries as the model has embeddings, specials last', async () => {
    const rust = RustTokenizer.fromString(tokenizerText);
    const config = JSON.parse(await asset('config.json'));
    expect(rust.getVocabSize(true)).toBe(VOCAB_SIZE);
    expect(config.vocab_size).toBe(VOCAB_SIZE);
    expect(SPECIALS.map((special) => rust.tokenToId(special))).toEqual([765, 766, 767]);
    expect(config.eos_token_id).toBe(rust.tokenToId(IM_END));
    expect(JSON.parse(await asset('generation_config.json')).eos_token_id).toContain(rust.tokenToId(IM_END));
    expect(tokenizerConfig.eos_token).toBe(IM_END);
    expect(config).toMatchObject({
      model_type: 'llama',
      tie_word_embeddings: true,
      hidden_size: DEMO_CONFIG.hiddenSize,
      max_position_embeddings: DEMO_CONFIG.maxPositions,
    });
  });

  it("encodes and decodes as HF's Rust library does", async () => {
    const rust = RustTokenizer.fromString(tokenizerText);
    const javascript = new JavaScriptTokenizer(JSON.parse(tokenizerText), tokenizerConfig);
    const all = texts(seededRandom(21));
    const encodings = await rust.encodeBatch(all, { addSpecialTokens: false });
    const expected = encodings.map((encoding) => encoding.getIds());
    const decoded = await rust.decodeBatch(expected, false);
    expect(all.length).toBeGreaterThan(5000);
    all.forEach((text, i) => {
      const ids = javascript.encode(text, { add_special_tokens: false }).ids;
      expect(ids, JSON.stringify(text)).toEqual(expected[i]);
      if (ids.length > 0) expect(javascript.decode(ids, { skip_special_tokens: false })).toBe(decoded[i]);
    });
  });

  it('gives back every text, in normal form C', () => {
    const javascript = new JavaScriptTokenizer(JSON.parse(tokenizerText), tokenizerConfig);
    for (const text of texts(seededRandom(22))) {
      const ids = javascript.encode(text, { add_special_tokens: false }).ids;
      if (ids.length > 0) expect(javascript.decode(ids, { skip_special_tokens: false })).toBe(text.normalize('NFC'));
    }
  });

  it('splits every digit', () => {
    expect(encoder.encode('1234')).toEqual(['1', '2', '3', '4'].map((digit) => encoder.encode(digit)[0]));
  });
});

describe('the chat template', () => {
  it.each([
    ['a question', [{ role: 'user', content: '2+3?' }], '<|im_start|>user\n2+3?<|im_end|>\n<|im_start|>assistant\n'],
    [
      'a system message and history',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Bye' },
      ],
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n' +
        '<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n',
    ],
  ])('renders %s as ChatML', (_reason, messages, expected) => {
    expect(new Template(tokenizerConfig.chat_template).render({ messages, add_generation_prompt: true })).toBe(
      expected,
    );
  });

  it('is token for token what the corpus trains, at every turn', () => {
    const random = seededRandom(23);
    for (let i = 0; i < 300; i++) {
      const messages = sampleConversation(random, 3);
      const { ids } = encoder.encodeChat(messages);
      for (let turn = 0; turn < messages.length; turn++) {
        if (messages[turn]!.role !== 'assistant') continue;
        const prompt = encoder.encode(encoder.renderPrompt(messages.slice(0, turn)));
        expect(ids.slice(0, prompt.length)).toEqual(prompt);
        const answer = [...encoder.encode(messages[turn]!.content), encoder.endOfTurn];
        expect(ids.slice(prompt.length, prompt.length + answer.length)).toEqual(answer);
      }
    }
  });
});

describe('packRows', () => {
  it.each(['short', 'long'] as const)(
    'starts every row with a chat and predicts the next token (%s chats)',
    (chats) => {
      const [rows, length] = [3, 64];
      const { ids, targets, weights } = packRows(seededRandom(24), encoder, { rows, length, chats });
      const start = encoder.encode('<|im_start|>')[0];
      for (let row = 0; row < rows; row++) {
        expect(ids[row * length]).toBe(start);
        expect([...targets.slice(row * length, row * length + length - 1)]).toEqual([
          ...ids.slice(row * length + 1, (row + 1) * length),
        ]);
      }
      expect(new Set(weights)).toEqual(new Set([1, Math.fround(0.1)]));
    },
  );

  it("counts the assistant's words and its end mark fully, and nothing else", () => {
    const { targets, weights } = packRows(seededRandom(25), encoder, { rows: 1, length: 128, chats: 'short' });
    const full = [...targets].filter((_, t) => weights[t] === 1);
    expect(full).toContain(encoder.endOfTurn);
    expect(full).not.toContain(encoder.endOfText);
    expect(full).not.toContain(encoder.encode('<|im_start|>')[0]);
  });
});
