import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskStaleTokens } from '../../embedded/trainer/staleness-mask';
import { staleReason } from '../staleness/token-age';

// Two programs judge the age of tokens: the gateway when it forms a batch, the trainer when it consumes it.
describe('the consumption guard', () => {
  it('lets exactly those rows into a batch of which the trainer keeps something', () => {
    const row = fc.array(fc.nat(12), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(row, fc.nat(14), fc.nat(6), (versions, consumingVersion, limit) => {
        const lossMask = versions.map(() => 1);
        const { rowDropped, masked } = maskStaleTokens(consumingVersion, lossMask, versions, limit);
        expect(staleReason(versions, consumingVersion, limit) !== null).toBe(rowDropped);
        const old = versions.filter((version) => consumingVersion - version > limit).length;
        expect(masked).toBe(rowDropped ? versions.length : old);
      }),
    );
  });
});
