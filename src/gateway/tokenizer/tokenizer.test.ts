import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteLevelTokenizer, TINY_SPECIALS, tinyTokenizerConfig } from '../../embedded/model/testing/tiny-tokenizer';
import { ModelFolderError, openModelFolder } from '../platform/model-files';
import type { ChatTokenizer } from './chat-tokenizer';
import { loadChatTokenizer } from './huggingface-tokenizer';
import { findUnsupportedPart } from './template-messages';

let folder: string;
let tokenizer: ChatTokenizer;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokenizer-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(byteLevelTokenizer()));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(tinyTokenizerConfig()));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ max_position_embeddings: 256, vocab_size: 259 }));
  writeFileSync(join(folder, 'generation_config.json'), JSON.stringify({ eos_token_id: [257, 258] }));
  tokenizer = loadChatTokenizer(openModelFolder(folder));
});
afterAll(() => rmSync(folder, { recursive: true }));

const options = { tools: [], templateValues: {}, limitTokens: 1000, conversation: null };
const bytes = (text: string): number[] => [...Buffer.from(text, 'utf8')];

describe('renderPrompt', () => {
  it('puts a conversation through the template and keeps special tokens single', () => {
    const rendered = tokenizer.renderPrompt([{ role: 'user', content: 'héy' }], options);
    const ids = [
      TINY_SPECIALS.imStart,
      ...bytes('user\nhéy'),
      TINY_SPECIALS.imEnd,
      ...bytes('\n'),
      TINY_SPECIALS.imStart,
      ...bytes('assistant\n'),
    ];
    const text = '<|im_start|>user\nhéy<|im_end|>\n<|im_start|>assistant\n';
    expect(rendered).toEqual({ ok: true, value: { ids, cachedTokens: 0, text } });
  });

  it('joins text parts and reads tool arguments as objects', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(tokenizer.renderPrompt([{ role: 'user', content: parts }], options)).toEqual(
      tokenizer.renderPrompt([{ role: 'user', content: 'ab' }], options),
    );
  });

  it('knows the numbers and stop tokens of the folder', () => {
    expect(tokenizer).toMatchObject({ contextLength: 256, vocabularySize: 259, stopTokenIds: [257, 258] });
  });
});

describe('renderPrompt with far too much text', () => {
  it('gives a lower bound without tokenizing', () => {
    const content = 'x'.repeat(1_000_000);
    const refused = tokenizer.renderPrompt([{ role: 'user', content }], { ...options, limitTokens: 256 });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'prompt-too-long' } });
    if (refused.ok || refused.error.kind !== 'prompt-too-long') return expect.unreachable();
    expect(refused.error.leastTokens).toBeGreaterThan(256);
    expect(refused.error.leastTokens).toBeLessThanOrEqual(content.length + 40);
  });
});

describe('findUnsupportedPart', () => {
  it.each([
    ['text only', [{ type: 'text', text: 'a' }], null],
    [
      'an image',
      [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'x' } },
      ],
      'image_url',
    ],
  ])('finds in %s', (_reason, content, expected) => {
    expect(findUnsupportedPart([{ role: 'user', content }])).toBe(expected);
  });
});

describe('createDecoder', () => {
  it('gives the same text as decoding the whole, however the ids are grouped', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 120 });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (input, sizes) => {
        const ids = tokenizer.encode(input);
        const decoder = tokenizer.createDecoder();
        let output = '';
        for (let at = 0, turn = 0; at < ids.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          output += decoder.push(ids.slice(at, at + size));
          at += size;
        }
        expect(output + decoder.flush()).toBe(input);
      }),
    );
  });

  it('never gives half a character', () => {
    const decoder = tokenizer.createDecoder();
    const pieces = bytes('a😀中').map((id) => decoder.push([id]));
    expect(pieces).toEqual(['a', '', '', '', '😀', '', '', '中']);
  });

  it('shows bytes that can never become a character once that is certain', () => {
    const decoder = tokenizer.createDecoder();
    expect(decoder.push([0xf0])).toBe('');
    expect(decoder.push(bytes('ok'))).toBe('\uFFFDok');
    expect(decoder.push([0xf0]) + decoder.flush()).toBe('\uFFFD');
  });

  it('does not show special tokens', () => {
    const decoder = tokenizer.createDecoder();
    expect(decoder.push([...bytes('hi'), TINY_SPECIALS.imEnd])).toBe('hi');
  });

  it('shows the special tokens that are kept, also between the bytes of a character', () => {
    const decoder = tokenizer.createDecoder(['<|im_start|>']);
    const { imStart, imEnd } = TINY_SPECIALS;
    expect(decoder.push([imStart, 0x61, imEnd, 0xc3]) + decoder.push([0xa9, imStart])).toBe(
      '<|im_start|>aé<|im_start|>',
    );
    expect(decoder.push([0xf0]) + decoder.push([imStart, 0x62])).toBe('\uFFFD<|im_start|>b');
  });
});

describe('describeTokens', () => {
  it('names special tokens and puts a character on its last byte', () => {
    expect(tokenizer.describeTokens([...bytes('aé'), TINY_SPECIALS.imEnd])).toEqual(['a', '', 'é', '<|im_end|>']);
  });
});

describe('a model folder whose chat template is no use', () => {
  it.each([
    ['none', null, /has no chat template.*Choose a chat model/],
    [
      'one that does not parse',
      '{% for message in %}',
      /chat template of .* cannot be read: .*Copy chat_template.jinja/,
    ],
  ])('is refused with what to do: %s', (_name, template, sentence) => {
    const real = openModelFolder(folder);
    const readJson = (file: string): unknown =>
      file === 'tokenizer_config.json' ? { ...tinyTokenizerConfig(), chat_template: template } : real.readJson(file);
    expect(() => loadChatTokenizer({ ...real, readJson })).toThrow(ModelFolderError);
    expect(() => loadChatTokenizer({ ...real, readJson })).toThrow(sentence);
  });
});
