import { createHash, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Unpredictable bytes as a port; keys and ids come from it. */
export interface RandomSource {
  bytes(count: number): Uint8Array;
}

/** Asking the system costs the same for one byte as for a page, so it is asked for a page. */
const POOL_BYTES = 4096;

/** The operating system's random source. No byte is given out twice, and none stays behind in the pool. */
export const systemRandom: RandomSource = pooledRandom();

function pooledRandom(): RandomSource {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes: (count) => {
      if (count > POOL_BYTES) return randomFillSync(Buffer.alloc(count));
      if (used + count > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const taken = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return taken;
    },
  };
}

/** `count` lower-case hex digits. */
export function randomHex(random: RandomSource, count: number): string {
  return Buffer.from(random.bytes(Math.ceil(count / 2)))
    .toString('hex')
    .slice(0, count);
}

/** Digits that milliseconds since the epoch take for the next 8,900 years. */
const TIME_DIGITS = 12;

/**
 * `count` lower-case hex digits that grow with time, then are random: names of rows that belong together in time, so that a
 * database writes them next to each other instead of all over its pages.
 *
 * @param now - milliseconds since the epoch
 * @param count - more than 12; the rest is random
 */
export function growingHex(now: number, random: RandomSource, count: number): string {
  return now.toString(16).padStart(TIME_DIGITS, '0') + randomHex(random, count - TIME_DIGITS);
}

/** URL-safe base64 without padding; 32 bytes give 43 characters. */
export function randomUrlSafe(random: RandomSource, byteCount: number): string {
  return Buffer.from(random.bytes(byteCount)).toString('base64url');
}

/** Compares secrets in constant time, whatever their lengths. */
export function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
