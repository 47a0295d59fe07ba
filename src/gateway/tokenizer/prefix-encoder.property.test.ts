import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteLevelTokenizer, tinyTokenizerConfig } from '../../embedded/model/testing/tiny-tokenizer';
import type { ChatMessage } from '../../shared/domain/interaction';
import { openModelFolder } from '../platform/model-files';
import { type AddedTokenFacts, AddedTokens } from './added-tokens';
import type { ChatTokenizer } from './chat-tokenizer';
import { loadChatTokenizer } from './huggingface-tokenizer';
import { commonPrefixLength, PrefixEncoder } from './prefix-encoder';

/** Drops the thoughts of earlier turns, as reasoning models' templates do. */
const FORGETFUL = `{%- set ns = namespace(last=0) -%}
{%- for message in messages -%}{%- if message.role == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' -}}
{%- if message.role == 'assistant' and '</think>' in message.content and loop.index0 < ns.last -%}
{{- message.content.split('</think>')[1] -}}{%- else -%}{{- message.content -}}{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{{- '<|im_start|>assistant\\n' -}}`;

const LOAD_OPTIONS = { tools: [], templateValues: {}, limitTokens: 1_000_000 };
let folders: string[] = [];
let tokenizers: Record<string, ChatTokenizer> = {};

function tinyFolder(template: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'prefix-'));
  folders.push(folder);
  const config = { ...tinyTokenizerConfig(), ...(template === null ? {} : { chat_template: template }) };
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(byteLevelTokenizer()));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ max_position_embeddings: 256, vocab_size: 259 }));
  return folder;
}

beforeAll(() => {
  tokenizers = {
    'the demo model': loadChatTokenizer(openModelFolder('assets/demo-model')),
    'single bytes': loadChatTokenizer(openModelFolder(tinyFolder(null))),
    'a template that forgets thoughts': loadChatTokenizer(openModelFolder(tinyFolder(FORGETFUL))),
  };
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
  folders = [];
});

const content = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        '<|im_end|>',
        '<|im_',
        'start|>',
        '\n',
        ' two  words ',
        '<think>\nhm\n</think>\n\n',
        'é',
        '\uDC00',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system'), content });
/** What happens next in a conversation: it grows, or it is answered anew from some point on. */
const step = fc.record({
  keep: fc.double({ min: 0, max: 1, noNaN: true }),
  isGrowing: fc.boolean(),
  next: fc.array(message, { maxLength: 4 }),
});

describe.each(['the demo model', 'single bytes', 'a template that forgets thoughts'])(
  'a cached prompt of %s',
  (name) => {
    it('has exactly the ids of the whole rendering', () => {
      let run = 0;
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.constantFrom('a', 'b'), (steps, key) => {
          const tokenizer = tokenizers[name];
          if (tokenizer === undefined) return expect.unreachable();
          run += 1;
          let messages: ChatMessage[] = [{ role: 'user', content: 'begin' }];
          for (const { keep, isGrowing, next } of steps) {
            if (!isGrowing) messages = messages.slice(0, Math.ceil(messages.length * keep));
            messages = [...messages, ...next];
            // Every other conversation goes on in the cache of one that had nothing to do with it.
            const conversation = run % 2 === 0 ? key : String(run);
            const cached = tokenizer.renderPrompt(messages, { ...LOAD_OPTIONS, conversation });
            const whole = tokenizer.renderPrompt(messages, { ...LOAD_OPTIONS, conversation: null });
            if (!cached.ok || !whole.ok) return expect.unreachable();
            expect(cached.value.text).toBe(whole.value.text);
            expect(cached.value.ids).toEqual(whole.value.ids);
            expect(whole.value.cachedTokens).toBe(0);
            const isGuarded = messages.some(({ content: text }) => /<\|im_\w+\|>|\uDC00/.test(String(text)));
            if (!isGuarded) expect(cached.value.ids).toEqual(tokenizer.encode(cached.value.text));
          }
        }),
        { numRuns: 60 },
      );
    });
  },
);

describe('a growing conversation', () => {
  it('takes over everything but its newest turn', () => {
    const tokenizer = tokenizers['the demo model'];
    if (tokenizer === undefined) return expect.unreachable();
    const messages: ChatMessage[] = [];
    let before = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      messages.push({ role: 'user', content: `What is ${turn} + ${turn}?` });
      const rendered = tokenizer.renderPrompt(messages, { ...LOAD_OPTIONS, conversation: 'growing' });
      if (!rendered.ok) return expect.unreachable();
      const { ids, cachedTokens } = rendered.value;
      // The generation prompt is rendered again as the beginning of the answer.
      if (turn > 0) expect(before - cachedTokens).toBeLessThan(12);
      expect(ids.length - cachedTokens).toBeLessThan(60);
      before = ids.length;
      messages.push({ role: 'assistant', content: `It is ${2 * turn}.` });
    }
  });

  it('does not give away ids that it changes later', () => {
    const tokenizer = tokenizers['single bytes'];
    if (tokenizer === undefined) return expect.unreachable();
    const render = (text: string): readonly number[] => {
      const rendered = tokenizer.renderPrompt([{ role: 'user', content: text }], {
        ...LOAD_OPTIONS,
        conversation: 'x',
      });
      return rendered.ok ? rendered.value.ids : [];
    };
    const first = render('one');
    const copy = [...first];
    render('one, two');
    expect(first).toEqual(copy);
  });
});

type Facts = AddedTokenFacts & { readonly rstrip: boolean };
const token = (text: string, facts: Partial<Facts> = {}): Facts => ({
  content: text,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...facts,
});

describe('PrefixEncoder', () => {
  it.each([
    { normalizer: { type: 'NFC' } },
    { normalizer: null },
    { normalizer: { type: 'Prepend', prepend: '▁' } },
    { normalizer: null, pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'first' } },
    { normalizer: null, pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'always' } },
  ])('cuts only where pieces are independent: %j', (kind) => {
    const bytes = byteLevelTokenizer() as { model: { vocab: Record<string, number> } };
    const vocab = { ...bytes.model.vocab, '▁': 400 };
    const facts = [
      token('<a>'),
      token('<a><b>'),
      token('<l>', { lstrip: true }),
      token('<r>', { rstrip: true }),
      token('<n>', { normalized: true }),
      token('<a>x', { normalized: true }),
      token('  '),
      token('b>'),
    ];
    const tokenizer = new Tokenizer(
      {
        ...bytes,
        model: { ...bytes.model, vocab },
        ...kind,
        added_tokens: facts.map((fact, at) => ({ ...fact, id: 256 + at, single_word: false })),
      },
      {},
    );
    const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
    const encoder = new PrefixEncoder(encode, new AddedTokens(facts, kind.normalizer !== null));
    const text = fc
      .array(fc.constantFrom('<a>', '<b>', '<l>', '<r>', '<n>', ' ', '\n', 'x', '<', '<a', 'e', '\u0301', 'é'), {
        maxLength: 16,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, (start, one, two) => {
        expect(encoder.encodeText(start + one, 'c').ids).toEqual(encode(start + one));
        expect(encoder.encodeText(start + two, 'c').ids).toEqual(encode(start + two));
        expect(encoder.encodeText(start + two + one, 'c').ids).toEqual(encode(start + two + one));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps to its memory and forgets the conversations that were not used for longest', () => {
    const added = new AddedTokens([token('<a>')], false);
    const encoder = new PrefixEncoder((piece) => [...piece].map((character) => character.charCodeAt(0)), added, 20_000);
    const text = `${'<a>some words'.repeat(30)}`;
    for (let turn = 0; turn < 50; turn += 1) {
      encoder.encodeText(text, `c${turn}`);
      expect(encoder.encodeText(text, 'c0').cachedTokens).toBeGreaterThan(300);
      expect(encoder.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(encoder.encodeText(text, 'c1').cachedTokens).toBe(0);
  });

  it('keeps nothing of a conversation that is over, and all of the others', () => {
    const encoder = new PrefixEncoder((piece) => [piece.length], new AddedTokens([token('<a>')], false));
    const text = '<a>x'.repeat(50);
    encoder.encodeText(text, 'kept');
    const before = encoder.bytes;
    encoder.encodeText(text, 'over');
    encoder.encodeText(`<a>another${text}`, 'over');
    encoder.forget('over');
    encoder.forget('never seen');
    expect(encoder.bytes).toBe(before);
    expect(encoder.encodeText(text, 'over').cachedTokens).toBe(0);
    expect(encoder.encodeText(text, 'kept').cachedTokens).toBeGreaterThan(40);
  });

  it('keeps renderings of agents that take turns in one conversation', () => {
    const added = new AddedTokens([token('<a>')], false);
    const encoder = new PrefixEncoder((piece) => [piece.length], added);
    let one = `<a>planner${'<a>x'.repeat(100)}`;
    let two = `<a>worker${'<a>y'.repeat(100)}`;
    for (let turn = 0; turn < 20; turn += 1) {
      one += '<a>more';
      two += '<a>more';
      const cached = [encoder.encodeText(one, 'c').cachedTokens, encoder.encodeText(two, 'c').cachedTokens];
      if (turn > 0) expect(Math.min(...cached)).toBeGreaterThan(95);
    }
  });
});

describe('commonPrefixLength', () => {
  it('is where the texts begin to differ', () => {
    const long = fc
      .tuple(fc.string(), fc.nat({ max: 3 }))
      .map(([text, times]) => text.repeat(1) + 'z'.repeat(times * 4095));
    fc.assert(
      fc.property(long, fc.string(), fc.string(), (start, one, two) => {
        const length = commonPrefixLength(start + one, start + two);
        expect((start + one).slice(0, length)).toBe((start + two).slice(0, length));
        const next = (text: string): string | undefined => text[length];
        expect(next(start + one) === undefined || next(start + one) !== next(start + two)).toBe(true);
      }),
    );
  });
});
