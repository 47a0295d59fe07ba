import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  klEstimates,
  type PolicyLossSettings,
  type PolicyToken,
  policyLossReference,
  tokenTerm,
} from './policy-loss-reference';

/** Golden vectors of the trainer contract rlt/1, worked out in a separate float64 program; six decimals. */
const NEW = [-0.1, -1, -2, -0.5, -3, -0.2];
const PROXIMAL = [-0.2, -1.5, -2, -0.4, -4.5, -0.2];
const BEHAVE = [-0.2, -1.4, -4, -0.5, -4.5, -0.1];
const TOKENS: readonly PolicyToken[] = NEW.map((newLogprob, i) => ({
  weight: 1 / 6,
  advantage: i < 3 ? 1 : -1,
  newLogprob,
  proximalLogprob: PROXIMAL[i]!,
  behaveLogprob: BEHAVE[i]!,
  referenceLogprob: newLogprob,
}));
const SETTINGS: PolicyLossSettings = {
  clip_low: 0.2,
  clip_high: 0.28,
  dual_clip: 3,
  behave_weight: 'mask',
  behave_cap: 5,
  kl_beta: 0.02,
};

describe('policyLossReference', () => {
  it.each([
    ['behaviour weight masked above its cap', {}, 0.440246],
    ['behaviour weight truncated at its cap', { behave_weight: 'truncate' }, -0.393088],
    ['no dual clip and no cap', { dual_clip: null, behave_cap: Number.POSITIVE_INFINITY }, -0.544315],
  ] satisfies [string, Partial<PolicyLossSettings>, number][])(
    'gives the golden loss: %s',
    (_reason, change, expected) => {
      expect(Math.abs(policyLossReference({ ...SETTINGS, ...change }, TOKENS) - expected)).toBeLessThan(5.1e-7);
    },
  );

  it('gives the golden terms of each token, with the one clipped, the one dual-clipped and the one filtered', () => {
    const terms = TOKENS.map((token) => tokenTerm(SETTINGS, token));
    [-1.105171, -1.158192, 0, 1, 3, 0.904837].forEach((value, i) => {
      expect(Math.abs(terms[i]!.policy - value), `token ${i}`).toBeLessThan(5.1e-7);
    });
    expect(terms.map((term) => term.clipped)).toEqual([null, 'high', null, null, null, null]);
    expect(terms.map((term) => term.dualClipped)).toEqual([false, false, false, false, true, false]);
    expect(terms.map((term) => term.filtered)).toEqual([false, false, true, false, false, false]);
  });

  it('leaves out the behaviour weight when it is off', () => {
    const loss = policyLossReference({ ...SETTINGS, behave_weight: 'off' }, TOKENS);
    const terms = [-Math.exp(0.1), -1.28, -1, Math.exp(-0.1), 3, 1];
    expect(loss).toBeCloseTo(terms.reduce((sum, term) => sum + term, 0) / 6, 12);
  });

  it('adds β times the k3 KL to the reference', () => {
    const apart = TOKENS.map((token) => ({ ...token, advantage: 0, referenceLogprob: token.newLogprob - 0.3 }));
    const k3 = Math.exp(-0.3) - 1 + 0.3;
    const weights = PROXIMAL.map((proximal, i) => Math.exp(proximal - BEHAVE[i]!)).map((w) => (w > 5 ? 0 : w));
    const expected = (0.5 * k3 * weights.reduce((sum, w) => sum + w, 0)) / 6;
    expect(policyLossReference({ ...SETTINGS, kl_beta: 0.5 }, apart)).toBeCloseTo(expected, 12);
  });

  it('clamps the log-ratio of the KL, so that a collapsed token cannot take over', () => {
    const collapsed = { ...TOKENS[0]!, newLogprob: -14, referenceLogprob: -0.1 };
    expect(tokenTerm({ ...SETTINGS, behave_weight: 'off' }, collapsed).kl).toBeCloseTo(Math.exp(3) - 4, 12);
  });

  it('ignores tokens of weight 0, whatever they hold', () => {
    const padding = { ...TOKENS[0]!, weight: 0, behaveLogprob: Number.NaN, newLogprob: Number.NEGATIVE_INFINITY };
    expect(policyLossReference(SETTINGS, [...TOKENS, padding])).toBe(policyLossReference(SETTINGS, TOKENS));
  });

  it.each([
    ['a good token that grew too likely', 1, 1.5, 'high'],
    ['a bad token that became unlikely enough', -1, 0.5, 'low'],
    ['a good token below the range still learns', 1, 0.5, null],
    ['a bad token above the range still learns', -1, 1.5, null],
  ])('clips on one side only: %s', (_reason, advantage, ratio, clipped) => {
    const token = { ...TOKENS[0]!, advantage, newLogprob: PROXIMAL[0]! + Math.log(ratio) };
    expect(tokenTerm(SETTINGS, token).clipped).toBe(clipped);
  });
});

describe('klEstimates', () => {
  it.each([
    ['equal', -1, -1, { k1: 0, k2: 0, k3: 0 }],
    ['become less likely by 0.5', -1, -1.5, { k1: 0.5, k2: 0.125, k3: Math.exp(-0.5) - 0.5 }],
    // a step once did this to one of 412 tokens; turned round, k3 gives 125.5 for it
    ['collapsed', -1.4954, -6.3736, { k1: 4.8782, k2: 11.89842, k3: 3.885811 }],
    ['clamped at 10', 0, -90, { k1: 10, k2: 50, k3: Math.exp(-10) + 9 }],
  ])('%s', (_reason, sampler, other, expected) => {
    const actual = klEstimates({ sampler, other });
    expect(actual.k1).toBeCloseTo(expected.k1, 5);
    expect(actual.k2).toBeCloseTo(expected.k2, 5);
    expect(actual.k3).toBeCloseTo(expected.k3, 5);
  });

  it('gives the exact KL when averaged over what the sampler draws', () => {
    const logits = fc.array(fc.tuple(fc.double(LOGIT), fc.double(LOGIT)), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(logits, (pairs) => {
        const [sampler, other] = [0, 1].map((side) => logSoftmax(pairs.map((pair) => pair[side]!))) as [
          number[],
          number[],
        ];
        const expected = (key: 'k1' | 'k3') =>
          sampler.reduce((sum, lp, i) => sum + Math.exp(lp) * klEstimates({ sampler: lp, other: other[i]! })[key], 0);
        const exact = sampler.reduce((sum, lp, i) => sum + Math.exp(lp) * (lp - other[i]!), 0);
        expect(expected('k1')).toBeCloseTo(exact, 9);
        expect(expected('k3')).toBeCloseTo(exact, 9);
      }),
    );
  });
});

/** so narrow that no log-ratio reaches the clamp */
const LOGIT = { min: -2, max: 2, noNaN: true };

function logSoftmax(logits: readonly number[]): number[] {
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
}
