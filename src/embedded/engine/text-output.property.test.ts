import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decode, IncrementalDetokenizer } from './incremental-detokenizer';
import { heldBackLength, StopStringMatcher } from './stop-conditions';
import { TextOutput } from './text-output';

/** Tokens are bytes, as in a byte-level vocabulary without merges. */
const decode: Decode = (ids) => new TextDecoder().decode(Uint8Array.from(ids));
const validText = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((array) => [...array]),
  validText.map((text) => [...new TextEncoder().encode(text)]),
);

describe('IncrementalDetokenizer', () => {
  it('gives pieces that join to what decoding all at once gives', () => {
    fc.assert(
      fc.property(bytes, (ids) => {
        const detokenizer = new IncrementalDetokenizer(decode);
        const pieces = ids.map((id) => detokenizer.push(id)).join('') + detokenizer.flush();
        expect(pieces).toBe(decode(ids));
      }),
      { numRuns: 1000 },
    );
  });

  it('never shows half a character of valid text', () => {
    fc.assert(
      fc.property(
        validText.filter((text) => !text.includes('\ufffd')),
        (text) => {
          const detokenizer = new IncrementalDetokenizer(decode);
          for (const id of new TextEncoder().encode(text)) expect(detokenizer.push(id)).not.toContain('\ufffd');
        },
      ),
    );
  });
});

describe('TextOutput', () => {
  const alphabet = fc.constantFrom('a', 'b', 'c', 'é');
  const words = fc.array(alphabet, { maxLength: 30 }).map((letters) => letters.join(''));
  const stops = fc.array(
    fc.array(alphabet, { minLength: 1, maxLength: 4 }).map((letters) => letters.join('')),
    { minLength: 1, maxLength: 3 },
  );

  it('shows exactly the text before the first stop string, however it is cut into tokens', () => {
    fc.assert(
      fc.property(words, stops, (text, stopStrings) => {
        const output = new TextOutput({ stopStrings, noStopTrim: false, decode, decodeAll: decode });
        let shown = '';
        let matched: string | null = null;
        for (const id of new TextEncoder().encode(text)) {
          matched = output.test(id);
          if (matched !== null) {
            shown += output.end(id, { type: 'stop', matched });
            break;
          }
          shown += output.push(id);
        }
        if (matched === null) shown += output.end(null, { type: 'length', length: 1 });
        const ends = stopStrings
          .map((stop) => text.indexOf(stop) + stop.length)
          .filter((_end, i) => text.includes(stopStrings[i]!));
        const end = Math.min(...ends);
        const expected =
          ends.length === 0
            ? text
            : text.slice(
                0,
                end -
                  Math.max(
                    ...stopStrings.filter((stop) => text.slice(0, end).endsWith(stop)).map((stop) => stop.length),
                  ),
              );
        expect(shown).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['trims a stop token', false, 'ab'],
    ['keeps it when asked', true, 'abc'],
  ])('%s', (_name, noStopTrim, expected) => {
    const output = new TextOutput({ stopStrings: [], noStopTrim, decode, decodeAll: decode });
    const shown = output.push(97) + output.push(98) + output.end(99, { type: 'stop', matched: 99 });
    expect(shown).toBe(expected);
  });
});

describe('StopStringMatcher', () => {
  it.each<[string, readonly string[], readonly string[], string | null]>([
    ['finds a string over several pieces', ['END'], ['xE', 'N', 'Dy'], 'END'],
    ['finds the one that ends first', ['bcd', 'abc'], ['abcd'], 'abc'],
    ['prefers the longer of two that end together', ['c', 'abc'], ['abc'], 'abc'],
    ['ignores the empty string', ['', 'z'], ['abc'], null],
    ['finds a single character', ['b'], ['a', 'b'], 'b'],
  ])('%s', (_name, strings, pieces, expected) => {
    const matcher = new StopStringMatcher(strings);
    expect(pieces.map((piece) => matcher.push(piece)).find((match) => match !== null) ?? null).toBe(expected);
  });

  it('holds back what may become a stop string, and no more', () => {
    expect(heldBackLength('say EN', ['END'])).toBe(2);
    expect(heldBackLength('say END', ['END'])).toBe(0);
    expect(heldBackLength('aab', ['abc', 'bbbb'])).toBe(2);
  });
});
