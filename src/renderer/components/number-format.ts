const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const minus = '\u2212';

/** A count, whole and grouped: `12,345`. The same in both languages, so that figures can be compared across screenshots. */
export const formatCount = (value: number): string => grouped.format(value);

/**
 * A measured quantity in three significant digits: `0.0312`, `12.4`, `1.25e-6`. A missing one is a dash, a broken one says so.
 *
 * Trailing zeros of the three digits are dropped for whole numbers only, so that columns of fractions keep their width.
 */
export function formatQuantity(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${minus}∞`;
  if (value === 0) return '0';
  const magnitude = Math.abs(value);
  const text = threeDigits(magnitude);
  return value < 0 ? minus + text : text;
}

function threeDigits(magnitude: number): string {
  if (magnitude < 1e-3) return magnitude.toExponential(2);
  if (magnitude >= 999.5) {
    return magnitude < 1e6 ? grouped.format(magnitude) : magnitude.toExponential(2);
  }
  return Number.isInteger(magnitude) ? String(magnitude) : magnitude.toPrecision(3);
}

/** What binary fractions leave of a sum that is zero. */
const NOISE = 1e-12;

/** With an explicit plus, for rewards and advantages. */
export function formatSigned(value: number | null | undefined): string {
  if (typeof value === 'number' && Math.abs(value) < NOISE) return '0';
  const text = formatQuantity(value);
  return typeof value === 'number' && value > 0 ? `+${text}` : text;
}

/** Decimals that a row of figures may need before three digits of each say more than equal lengths. */
const MOST_DECIMALS = 4;

/** A way to write values that stand in one row, the marks of one axis: signed, and all with the same number of decimals. */
export function signedAlike(values: readonly number[]): (value: number) => string {
  const largest = Math.max(...values.map(Math.abs), NOISE);
  const gaps = [...values]
    .sort((a, b) => a - b)
    .flatMap((value, at, all) => (at === 0 ? [] : value - (all[at - 1] ?? 0)));
  const closest = Math.min(...gaps.filter((gap) => gap > largest * 1e-9), largest);
  const places = Array.from({ length: MOST_DECIMALS + 1 }, (_none, decimals) => decimals);
  // As few as say every value exactly; where none do, as many as tell neighbours apart.
  const decimals =
    places.find((count) => values.every((value) => Math.abs(Number(value.toFixed(count)) - value) < largest * 1e-9)) ??
    places.find((count) => 10 ** -count <= closest / 2);
  if (decimals === undefined || largest >= 1e6) return formatSigned;
  return (value) => {
    const magnitude = decimals === 0 ? grouped.format(Math.abs(value)) : Math.abs(value).toFixed(decimals);
    if (Number(magnitude.replaceAll(',', '')) === 0) return magnitude;
    return `${value < 0 ? minus : '+'}${magnitude}`;
  };
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Size on disk in decimal units, as file managers count. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? String(value) : formatQuantity(value)} ${units[unit]}`;
}

/** A share in whole percent, `13 %`. */
export const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;

/** Seconds as `4.21 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return formatQuantity(seconds);
  if (seconds < 60) return `${formatQuantity(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
