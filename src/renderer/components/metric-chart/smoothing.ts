/**
 * Exponential moving average with bias correction: a constant stays that constant from its first point on.
 *
 * @param values - in order; null where nothing finite is known
 * @param weight - of the past, in [0, 1); 0 changes nothing
 * @returns same length; null where the input is null, and the average goes on after a gap as if it were not there
 * @remarks The correction divides by 1 − weightⁿ after n values, as in Adam (arXiv:1412.6980 §3).
 */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  let average = 0;
  let seen = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    seen += 1;
    average = weight * average + (1 - weight) * value;
    return average / (1 - weight ** seen);
  });
}
