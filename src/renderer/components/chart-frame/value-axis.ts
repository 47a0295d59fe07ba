import { formatCount } from '../number-format';

/** What an axis of numbers needs to be drawn: its ends, its ticks, and how they are written. */
export interface ValueAxis {
  readonly domain: [number, number];
  readonly ticks: number[];
  readonly tickFormatter: (value: number) => string;
}

interface AxisWishes {
  /** as many steps as fit; fewer when round numbers want it */
  readonly steps?: number;
  /** versions, batches and counts have nothing between two of them */
  readonly isWhole?: boolean;
  /** the ends of the axis stay where the values end, as on an axis of batches */
  readonly isTight?: boolean;
}

/** A round distance of ticks, `mantissa`·10^`exponent`, kept in two parts so that no tick carries binary dust. */
interface Step {
  readonly mantissa: number;
  readonly exponent: number;
}

const mantissas = [1, 2, 5, 10] as const;
/** Under this part of the largest value, differences are what is left of sums, not data. */
const NOISE = 1e-9;
/** No axis shows less than this part of its largest value: its ticks would differ in the fifth digit only. */
const CLOSEST = 1e-3;
const FEWEST_DECIMALS_IN_POWERS = 5;
const LONGEST_PLAIN = 9;

/**
 * The axis for these values: round ticks at equal distances, all with the number of decimals that their distance needs.
 *
 * Zero is part of it, unless the values lie so close together that beside zero they would be one flat line.
 */
export function valueAxis(values: Iterable<number | null | undefined>, wishes: AxisWishes = {}): ValueAxis {
  const { steps = 3, isWhole = false, isTight = false } = wishes;
  const [low, high] = isTight ? endsOf(values) : withRoom(endsOf(values));
  const step = stepFor((high - low) / steps, isWhole);
  const size = sizeOf(step, 1);
  const first = isTight ? Math.ceil(low / size - NOISE) : Math.floor(low / size + NOISE);
  const last = isTight ? Math.floor(high / size + NOISE) : Math.ceil(high / size - NOISE);
  const ticks = Array.from({ length: last - first + 1 }, (_none, index) => sizeOf(step, first + index));
  return {
    domain: isTight ? [low, high] : [ticks[0] ?? low, ticks[ticks.length - 1] ?? high],
    ticks,
    tickFormatter: formatterOf(step, ticks),
  };
}

function endsOf(values: Iterable<number | null | undefined>): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? [0, 0] : [low, high];
}

function withRoom([low, high]: readonly [number, number]): [number, number] {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  // Nothing but zeros has no scale of its own.
  if (largest === 0) return [0, 1];
  const spread = high - low;
  const isFar = low > 0 || high < 0;
  if (!isFar || spread <= largest * NOISE || spread > largest / 4) return [Math.min(low, 0), Math.max(high, 0)];
  const missing = Math.max(largest * CLOSEST - spread, 0) / 2;
  return [low - missing, high + missing];
}

/** The smallest round distance that is not under `least`. */
function stepFor(least: number, isWhole: boolean): Step {
  if (!(least > 0) || (isWhole && least <= 1)) return { mantissa: 1, exponent: 0 };
  const exponent = Math.floor(Math.log10(least));
  const mantissa = mantissas.find((each) => sizeOf({ mantissa: each, exponent }, 1) >= least * (1 - NOISE)) ?? 10;
  return mantissa === 10 ? { mantissa: 1, exponent: exponent + 1 } : { mantissa, exponent };
}

/** `times` steps; the decimal text is read back, which is exact where a product of binary fractions is not. */
const sizeOf = ({ mantissa, exponent }: Step, times: number): number => Number(`${mantissa * times}e${exponent}`);

function formatterOf({ mantissa, exponent }: Step, ticks: readonly number[]): (value: number) => string {
  const decimals = Math.max(-exponent, 0);
  const plain = (value: number): string => {
    const magnitude = Math.abs(value);
    return signed(value, decimals === 0 ? formatCount(magnitude) : magnitude.toFixed(decimals));
  };
  if (decimals < FEWEST_DECIMALS_IN_POWERS && ticks.every((tick) => plain(tick).length <= LONGEST_PLAIN)) return plain;
  // One power of ten for the whole axis, so that the figures before it can be compared.
  const size = sizeOf({ mantissa, exponent }, 1);
  return (value) => {
    const figure = Math.round(value / size) * mantissa;
    return figure === 0 ? '0' : signed(value, `${Math.abs(figure)}e${exponent}`);
  };
}

const signed = (value: number, magnitude: string): string => (value < 0 ? `\u2212${magnitude}` : magnitude);
