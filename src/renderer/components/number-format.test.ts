import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatQuantity, formatSeconds, formatSigned, signedAlike } from './number-format';

describe('formatQuantity', () => {
  it.each([
    ['a missing value is a dash', null, '–'],
    ['a broken value says so', Number.NaN, 'NaN'],
    ['an overflow says so', Number.NEGATIVE_INFINITY, '\u2212∞'],
    ['zero has no fraction', 0, '0'],
    ['a whole number stays whole', 17, '17'],
    ['a fraction has three digits', 0.031234, '0.0312'],
    ['trailing zeros of a fraction stay', 0.1 + 0.2, '0.300'],
    ['a negative has a true minus', -1.23456, '\u22121.23'],
    ['a rounding that adds a digit', 999.7, '1,000'],
    ['a small one is in powers of ten', 1.2512e-6, '1.25e-6'],
    ['a large one is grouped', 123456.7, '123,457'],
  ])('%s', (_reason, value, expected) => {
    expect(formatQuantity(value)).toBe(expected);
  });
});

describe('the other forms', () => {
  it.each([
    ['positive rewards carry a plus', formatSigned(0.5), '+0.500'],
    ['negative rewards carry a minus', formatSigned(-1), '\u22121'],
    ['zero carries no sign', formatSigned(0), '0'],
    ['what is left of a sum that is zero is zero', formatSigned(0.1 + 0.2 - 0.3), '0'],
    ['a small one is not', formatSigned(-1e-9), '\u22121.00e-9'],
    ['counts are grouped', formatCount(1234567), '1,234,567'],
    ['bytes below a thousand are whole', formatBytes(999), '999 B'],
    ['bytes have three digits', formatBytes(1234567), '1.23 MB'],
    ['seconds', formatSeconds(4.2134), '4.21 s'],
    ['minutes', formatSeconds(200), '3 min 20 s'],
    ['hours', formatSeconds(7500), '2 h 5 min'],
    ['an unknown time is a dash', formatSeconds(null), '–'],
  ])('%s', (_reason, actual, expected) => {
    expect(actual).toBe(expected);
  });
});

describe('signedAlike', () => {
  it.each([
    ['whole ones', [-1, 0, 1], ['\u22121', '0', '+1']],
    ['halves', [-1, -0.5, 0, 0.5, 1], ['\u22121.0', '\u22120.5', '0.0', '+0.5', '+1.0']],
    ['what sums leave', [0.1 + 0.2, 0.3 - 0.1], ['+0.3', '+0.2']],
    ['thirds', [-1 / 3, 0, 1 / 3], ['\u22120.3', '0.0', '+0.3']],
    ['large ones', [-1000, 12_000], ['\u22121,000', '+12,000']],
    ['tiny ones, each in powers of ten', [1e-7, 2e-7], ['+1.00e-7', '+2.00e-7']],
    ['a single one', [0.25], ['+0.25']],
  ])('%s', (_name, values, expected) => {
    expect(values.map(signedAlike(values))).toEqual(expected);
  });
});
