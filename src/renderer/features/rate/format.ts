/** Rewards with their sign, as the trainer sees them: +0.5, −1, 0. */
export const formatReward = (reward: number, locale: string): string =>
  new Intl.NumberFormat(locale, { signDisplay: 'exceptZero', maximumSignificantDigits: 3 })
    .format(reward)
    .replace('-', '−');

/** 1234567 → 1.2M. */
export const formatCount = (count: number, locale: string): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(count);

/** Time of day; with the day when it is not today's. */
export function formatWhen(iso: string, locale: string, now: Date): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const sameDay = date.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(locale, {
    ...(sameDay ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(sameDay ? { second: '2-digit' } : {}),
    hourCycle: 'h23',
  }).format(date);
}

/** A, B, C … Z, AA, AB …: the columns of a side-by-side round. */
export const columnName = (index: number): string =>
  `${index < 26 ? '' : columnName(Math.floor(index / 26) - 1)}${String.fromCharCode(65 + (index % 26))}`;
