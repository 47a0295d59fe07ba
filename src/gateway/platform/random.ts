import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Unpredictable bytes as a port; keys and ids come from it. */
export interface RandomSource {
  bytes(count: number): Uint8Array;
}

/** The operating system's random source. */
export const systemRandom: RandomSource = { bytes: (count) => randomBytes(count) };

/** `count` lower-case hex digits. */
export function randomHex(random: RandomSource, count: number): string {
  return Buffer.from(random.bytes(Math.ceil(count / 2)))
    .toString('hex')
    .slice(0, count);
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
