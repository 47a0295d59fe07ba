import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { staleReason } from './token-age';

describe('staleReason', () => {
  it.each([
    ['same version', [3, 3], 3, 0, null],
    ['at the limit', [2, 2], 6, 4, null],
    ['past the limit', [0, 0], 6, 4, 'too stale: sampled by v0, now v6, limit 4'],
    ['past the limit, two versions', [0, 1], 6, 4, 'too stale: sampled by v0 to v1, now v6, limit 4'],
    ['exactly a tenth is fresh', [0, 0, 0, 0, 0, 0, 0, 0, 0, 5], 6, 4, null],
    [
      'less than a tenth is fresh',
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5],
      6,
      4,
      'too stale: sampled by v0 to v5, now v6, limit 4',
    ],
    ['no tokens', [], 9, 0, null],
  ])('%s', (_name, versions, now, limit, expected) => {
    expect(staleReason(versions, now, limit)).toBe(expected);
  });

  it('never passes a row all of whose tokens are older than the limit, and never drops a wholly fresh one', () => {
    const versions = fc.array(fc.nat(20), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(versions, fc.nat(25), fc.nat(6), (row, now, limit) => {
        const reason = staleReason(row, now, limit);
        if (row.every((version) => now - version > limit)) expect(reason).not.toBeNull();
        if (row.every((version) => now - version <= limit)) expect(reason).toBeNull();
      }),
    );
  });
});
