import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestMessage, digestMessages, digestText } from './message-digest';

const call = (text: unknown, more: object = {}): object => ({
  role: 'assistant',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: text }, ...more }],
});

describe('digestMessage', () => {
  it.each([
    ['no content and empty content', { role: 'assistant' }, { role: 'assistant', content: '' }],
    ['no content and null', { role: 'assistant' }, { role: 'assistant', content: null }],
    ['reasoning sent back or not', { role: 'a', content: 'x', reasoning_content: 'hm' }, { role: 'a', content: 'x' }],
    ['a string and text parts', { role: 'u', content: 'ab' }, { role: 'u', content: [{ type: 'text', text: 'ab' }] }],
    [
      'text in several parts, marked for a cache',
      { role: 'u', content: 'ab' },
      {
        role: 'u',
        content: [
          { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    ['arguments with other spaces', call('{"a":1,"b":[2]}'), call('{ "b": [2], "a": 1 }')],
    ['arguments as an object', call('{"a":1}'), call({ a: 1 })],
    ['a call with its place in the stream', call('{}'), call('{}', { index: 0 })],
    ['an empty list of calls', { role: 'a', content: 'x', tool_calls: [] }, { role: 'a', content: 'x' }],
    ['empty annotations', { role: 'a', content: 'x', annotations: [] }, { role: 'a', content: 'x' }],
    ['keys in another order', { role: 'u', content: 'x' }, { content: 'x', role: 'u' }],
  ] as const)('is leniently equal: %s', (_reason, left, right) => {
    expect(digestMessage(left as never).lenient).toBe(digestMessage(right as never).lenient);
  });

  it.each([
    ['other text', { role: 'u', content: 'a' }, { role: 'u', content: 'b' }],
    ['another role', { role: 'u', content: 'a' }, { role: 'v', content: 'a' }],
    ['white space in the text', { role: 'u', content: 'a' }, { role: 'u', content: 'a ' }],
    ['other arguments', call('{"a":1}'), call('{"a":2}')],
    ['arguments that are no JSON', call('{"a":'), call('{"a": ')],
    ['a call more', { role: 'a', content: 'x' }, { ...call('{}'), content: 'x' }],
    ['a name', { role: 'u', content: 'a', name: 'ada' }, { role: 'u', content: 'a' }],
    ['an image', { role: 'u', content: 'a' }, { role: 'u', content: [{ type: 'image_url' }] }],
  ] as const)('is not leniently equal: %s', (_reason, left, right) => {
    expect(digestMessage(left as never).lenient).not.toBe(digestMessage(right as never).lenient);
  });

  it('keeps apart exactly what is only leniently equal', () => {
    const [left, right] = [
      digestMessage({ role: 'a', content: 'x', reasoning_content: 'r' }),
      digestMessage({ role: 'a', content: 'x' }),
    ];
    expect(left.exact).not.toBe(right.exact);
  });
});

describe('digestMessages', () => {
  it('walks through a list once', () => {
    let reads = 0;
    const message = {
      role: 'user',
      get content(): string {
        reads += 1;
        return 'hello';
      },
    };
    const messages = [message];
    const first = digestMessages(messages);
    const after = reads;
    expect(digestMessages(messages)).toBe(first);
    expect(reads).toBe(after);
  });
});

describe('digestText', () => {
  it('differs for different texts, also when they are nearly equal', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.string({ unit: 'binary', maxLength: 40 }),
        (a, b) => {
          expect(digestText(a) === digestText(b)).toBe(a === b);
          expect(digestText(`${a}x`)).not.toBe(digestText(`${a}y`));
        },
      ),
    );
    const texts = Array.from({ length: 20_000 }, (_, index) => `message ${index}`);
    expect(new Set(texts.map(digestText)).size).toBe(texts.length);
  });
});
