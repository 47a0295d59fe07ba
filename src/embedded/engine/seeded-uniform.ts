/**
 * The uniform number in [0, 1) that decides the token at one absolute position, from (seed, position) alone.
 *
 * A counter-based generator: no state to carry, so a prompt resubmitted with its partial answer goes on with the same
 * stream. Two murmur3 finalisers over the seed's halves and the position; 53 bits of result.
 */
export function seededUniform(seed: number, position: number): number {
  const low = seed >>> 0;
  const high = Math.floor(seed / 2 ** 32) >>> 0;
  const first = finalise(
    finalise(low ^ 0x9e3779b9) ^ finalise(high ^ 0x85ebca6b) ^ Math.imul(position + 1, 0xcc9e2d51),
  );
  const second = finalise(first ^ Math.imul(position + 1, 0x1b873593) ^ low);
  return ((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53;
}

/** A seed for a request that names none: reproducible from the server's seed and the request's id. */
export function deriveSeed(serverSeed: number, requestId: string): number {
  let hash = serverSeed >>> 0;
  for (let i = 0; i < requestId.length; i++) hash = finalise(Math.imul(hash ^ requestId.charCodeAt(i), 0x01000193) + i);
  return hash;
}

/** murmur3's 32-bit finaliser: every input bit reaches every output bit. */
function finalise(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
