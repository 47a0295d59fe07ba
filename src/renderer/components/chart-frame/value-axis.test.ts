import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAxis } from './value-axis';

const labels = (...given: Parameters<typeof valueAxis>): string[] => {
  const { ticks, tickFormatter } = valueAxis(...given);
  return ticks.map(tickFormatter);
};

describe('the ticks of an axis', () => {
  it.each([
    ['a share', [0.1, 0.93], ['0.0', '0.5', '1.0']],
    ['rewards on both sides of zero', [-0.8, 0.75], ['\u22121', '0', '1']],
    ['rewards of one kind', [0.2, 0.4, 0.31], ['0.0', '0.2', '0.4']],
    ['nothing but zeros', [0, 0, 0], ['0.0', '0.5', '1.0']],
    ['nothing at all', [null, undefined, Number.NaN], ['0.0', '0.5', '1.0']],
    ['a constant series', [0.5, 0.5], ['0.0', '0.2', '0.4', '0.6']],
    ['a constant series but for what sums leave', [0.3, 0.1 + 0.2], ['0.0', '0.1', '0.2', '0.3']],
    ['a negative constant', [-2, -2], ['\u22122', '\u22121', '0']],
    ['values close together, far from zero', [2.31, 2.36], ['2.30', '2.32', '2.34', '2.36']],
    ['small ones', [0.0004, 0.0011], ['0.0000', '0.0005', '0.0010', '0.0015']],
    ['tiny ones', [0, 4e-7], ['0', '2e-7', '4e-7']],
    ['tiny negative ones', [-3e-9, 0], ['\u22123e-9', '\u22122e-9', '\u22121e-9', '0']],
    ['large ones', [1200, 48_000], ['0', '20,000', '40,000', '60,000']],
    ['huge ones', [0, 1.1e12], ['0', '5e11', '10e11', '15e11']],
    ['huge ones close together', [1e12, 1e12 + 1e6], ['9995e8', '10000e8', '10005e8', '10010e8']],
    ['an infinite one among others', [1, 3, Number.POSITIVE_INFINITY], ['0', '1', '2', '3']],
  ])('%s', (_name, values, expected) => {
    expect(labels(values)).toEqual(expected);
  });

  it.each([
    ['few versions', [0, 1], ['0', '1']],
    ['one version', [7], ['7']],
    ['some batches', [1, 9], ['2', '4', '6', '8']],
    ['many batches', [1, 1234], ['500', '1,000']],
  ])('on an axis of whole things that ends with them: %s', (_name, values, expected) => {
    expect(labels(values, { steps: 4, isWhole: true, isTight: true })).toEqual(expected);
  });

  it('on an axis with ends of its own', () => {
    expect(labels([-0.3, 0.3], { steps: 4, isTight: true })).toEqual(['\u22120.2', '0.0', '0.2']);
    expect(labels([-1, 1], { steps: 4, isTight: true })).toEqual(['\u22121.0', '\u22120.5', '0.0', '0.5', '1.0']);
    expect(labels([0.1, 0.5], { steps: 4, isTight: true })).toEqual(['0.1', '0.2', '0.3', '0.4', '0.5']);
  });

  const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 });
  it('hold all values, rise by one step, have one number of decimals and are each said once', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 12 }), (values) => {
        const { domain, ticks, tickFormatter } = valueAxis(values);
        const words = ticks.map(tickFormatter);
        const near = Math.max(...values.map(Math.abs)) * 1e-9;
        expect(domain[0]).toBeLessThanOrEqual(Math.min(...values) + near);
        expect(domain[1]).toBeGreaterThanOrEqual(Math.max(...values) - near);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect(new Set(words).size).toBe(ticks.length);
        expect(new Set(words.map((word) => /\.(\d+)$/.exec(word)?.[1]?.length ?? 0)).size).toBe(1);
        const powers = new Set(words.filter((word) => word !== '0').map((word) => /e.*$/.exec(word)?.[0] ?? ''));
        expect(powers.size).toBe(1);
        expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(11);
      }),
    );
  });
});
