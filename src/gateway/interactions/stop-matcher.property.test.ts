import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopMatcher } from './stop-matcher';

const letters = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength });

describe('StopMatcher', () => {
  it('shows exactly the text before the earliest stop string, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(letters(6), { maxLength: 8 }),
        fc.array(letters(4, 1), { maxLength: 3 }),
        (pieces, stops) => {
          const matcher = new StopMatcher(stops);
          let shown = '';
          let matched: string | null = null;
          let seen = '';
          for (const piece of pieces) {
            seen += piece;
            const match = matcher.push(piece);
            shown += match.text;
            matched = match.matched;
            if (matched !== null) break;
          }
          if (matched === null) shown += matcher.flush();
          const positions = stops.map((stop) => seen.indexOf(stop)).filter((at) => at >= 0);
          if (matched === null) {
            expect(positions).toEqual([]);
            expect(shown).toBe(seen);
          } else expect(shown).toBe(seen.slice(0, Math.min(...positions)));
        },
      ),
    );
  });

  it('does not hold back text that cannot become a stop string', () => {
    const matcher = new StopMatcher(['\n\n', '']);
    expect(matcher.push('one\n')).toEqual({ text: 'one', matched: null });
    expect(matcher.push('two')).toEqual({ text: '\ntwo', matched: null });
    expect(matcher.push('\n\nthree')).toEqual({ text: '', matched: '\n\n' });
  });
});
