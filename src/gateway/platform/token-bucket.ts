/** Most keys remembered; the one unused longest is forgotten first, and a forgotten key starts with a full bucket. */
const MOST_KEYS = 20_000;

/** Limits how often each key may call: `rate` calls per second in the long run, bursts of twice that. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #burst: number;

  /** @param rate - calls per second, > 0 */
  constructor(private readonly rate: number) {
    this.#burst = Math.max(1, 2 * rate);
  }

  /**
   * Takes one call's worth.
   *
   * @param now - milliseconds; going backwards gives nothing and takes nothing
   * @returns 0 when the call may go on, else the seconds until one may
   */
  take(key: string, now: number): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now };
    const seconds = Math.max(0, now - bucket.at) / 1000;
    const tokens = Math.min(this.#burst, bucket.tokens + seconds * this.rate);
    const isAllowed = tokens >= 1;
    // Set anew, so that the map's order is the order of use.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    if (this.#buckets.size > MOST_KEYS) {
      const oldest = this.#buckets.keys().next();
      if (oldest.done !== true) this.#buckets.delete(oldest.value);
    }
    return isAllowed ? 0 : (1 - tokens) / this.rate;
  }
}
