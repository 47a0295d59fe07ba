import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interactionId, sessionId } from '../../shared/domain/ids';
import { CachedTokens } from './cached-tokens';

const note = (tokens: CachedTokens, session: number, answer: number, cachedTokens: number): void =>
  tokens.note({ id: interactionId(`a${answer}`), sessionId: sessionId(`s${session}`), cachedTokens });

describe('CachedTokens', () => {
  it('knows the answers of open sessions and nothing of those that ended', () => {
    const step = fc.oneof(
      fc.record({ session: fc.nat({ max: 4 }), cachedTokens: fc.nat({ max: 9 }) }),
      fc.record({ session: fc.nat({ max: 4 }), isOver: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const tokens = new CachedTokens();
        const expected = new Map<number, { session: number; cachedTokens: number }>();
        for (const [answer, one] of steps.entries()) {
          const { session } = one;
          if ('isOver' in one) {
            tokens.forget(sessionId(`s${session}`));
            for (const [id, noted] of expected) if (noted.session === session) expected.delete(id);
          } else {
            note(tokens, session, answer, one.cachedTokens);
            if (one.cachedTokens > 0) expected.set(answer, { session, cachedTokens: one.cachedTokens });
          }
        }
        expect(tokens.size).toBe(expected.size);
        for (const answer of steps.keys())
          expect(tokens.find(`a${answer}`)).toBe(expected.get(answer)?.cachedTokens ?? 0);
      }),
    );
  });

  it('remembers no more than its number of answers, however many sessions stay open', () => {
    const tokens = new CachedTokens();
    for (let answer = 0; answer < 25_000; answer += 1) note(tokens, answer % 7000, answer, 5);
    expect(tokens.size).toBe(10_000);
    expect([tokens.find('a0'), tokens.find('a24999'), tokens.find(undefined)]).toEqual([0, 5, 0]);
    for (let session = 0; session < 7000; session += 1) tokens.forget(sessionId(`s${session}`));
    expect(tokens.size).toBe(0);
  });
});
