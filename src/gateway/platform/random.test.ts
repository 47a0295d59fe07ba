import { describe, expect, it } from 'vitest';
import { equalSecrets, growingHex, randomHex, randomUrlSafe, systemRandom } from './random';

describe('systemRandom', () => {
  it.each([1, 12, 32, 4096, 10_000])('gives %i bytes, never the same ones', (count) => {
    const draws = Array.from({ length: 200 }, () => Buffer.from(systemRandom.bytes(count)));
    expect(draws.map((draw) => draw.length)).toEqual(Array(200).fill(count));
    if (count >= 12) expect(new Set(draws.map((draw) => draw.toString('hex'))).size).toBe(200);
  });

  it('leaves earlier draws as they were', () => {
    const first = systemRandom.bytes(32);
    const copy = Buffer.from(first);
    for (let i = 0; i < 1000; i += 1) systemRandom.bytes(32);
    expect(Buffer.from(first)).toEqual(copy);
  });

  it('uses every value of a byte', () => {
    const seen = new Set(Array.from({ length: 20_000 }, () => systemRandom.bytes(1)[0]));
    expect(seen.size).toBe(256);
  });
});

describe('ids and secrets', () => {
  it('have their lengths', () => {
    expect(randomHex(systemRandom, 29)).toMatch(/^[0-9a-f]{29}$/);
    expect(randomUrlSafe(systemRandom, 32)).toMatch(/^[\w-]{43}$/);
    expect(growingHex(1_700_000_000_000, systemRandom, 29)).toMatch(/^[0-9a-f]{29}$/);
  });

  it('grow with time, and differ at the same time', () => {
    const times = [0, 1, 15, 16, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
    const ids = times.map((time) => growingHex(time, systemRandom, 29));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(Array.from({ length: 1000 }, () => growingHex(7, systemRandom, 29))).size).toBe(1000);
  });

  it.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'ab', false],
    ['', '', true],
    ['ä', 'a', false],
  ])('compares %j and %j', (left, right, expected) => {
    expect(equalSecrets(left, right)).toBe(expected);
  });
});
