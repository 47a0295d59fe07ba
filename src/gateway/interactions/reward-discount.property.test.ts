import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interactionId } from '../../shared/domain/ids';
import { creditRewards, discountRewards, planEpisodes } from './reward-discount';

const rewards = fc.array(fc.option(fc.double({ min: -10, max: 10, noNaN: true }), { nil: null }), { maxLength: 12 });
const gamma = fc.double({ min: 0, max: 1, noNaN: true });

describe('discountRewards', () => {
  it('satisfies R_k = r_k + γ R_{k+1} for every session', () => {
    fc.assert(
      fc.property(rewards, gamma, (raw, g) => {
        const returns = discountRewards(raw, g);
        raw.forEach((reward, k) => {
          expect(returns[k]).toBe((reward ?? 0) + g * (returns[k + 1] ?? 0));
        });
      }),
    );
  });
});

describe('creditRewards', () => {
  it('is never known after the last rating, and always at it', () => {
    fc.assert(
      fc.property(rewards, gamma, (raw, g) => {
        const credits = creditRewards(raw, g);
        let laterRated = false;
        for (let k = raw.length - 1; k >= 0; k -= 1) {
          laterRated ||= raw[k] !== null;
          const isKnown = g > 0 ? laterRated : raw[k] !== null;
          expect(credits[k] !== null).toBe(isKnown);
        }
      }),
    );
  });
});

describe('planEpisodes', () => {
  it('accounts for every open rating exactly once: in one episode row or excluded with a reason', () => {
    const turns = fc.array(
      fc.record({
        state: fc.constantFrom('finished' as const, 'failed' as const, 'interrupted' as const),
        distorted: fc.boolean(),
        temperature: fc.constantFrom(0, 0.7, 1),
        outputTokens: fc.nat(2),
        reward: fc.option(fc.constantFrom(-1, 0, 1), { nil: null }),
        closed: fc.constantFrom('batch' as const, 'dropped' as const, null),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(turns, fc.constantFrom(0, 0.5, 1), (raw, turnDiscount) => {
        const facts = raw.map((turn, ordinal) => ({ ...turn, ordinal, interactionId: interactionId(`i${ordinal}`) }));
        const plan = planEpisodes({ sessionId: 's', groupId: 'g', state: 'ended', turnDiscount }, facts);
        const seen = [
          ...plan.episodes.flatMap((episode) => episode.rows.map((row) => row.interactionId)),
          ...plan.excluded.map((exclusion) => exclusion.interactionId),
        ];
        expect(new Set(seen).size).toBe(seen.length);
        for (const turn of facts) {
          if (turn.closed !== null) expect(seen).not.toContain(turn.interactionId);
          else if (turn.reward !== null) expect(seen).toContain(turn.interactionId);
        }
        for (const episode of plan.episodes) expect(episode.rows.length).toBeGreaterThan(0);
      }),
    );
  });
});
