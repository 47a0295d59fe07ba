/** How the next token is drawn from its distribution. */
export interface SamplingShape {
  /** ≥ 0; below 1e-6 the likeliest token is taken and log-probs are reported at temperature 1 */
  readonly temperature: number;
  /** in (0, 1]; 1 keeps everything */
  readonly topP: number;
  /** ≥ 1, or −1 for all */
  readonly topK: number;
  /** in [0, 1], relative to the likeliest token */
  readonly minP: number;
}

export interface TokenChoice {
  readonly id: number;
  /** natural log of the token's probability under softmax(logits / T) over the whole vocabulary, before any truncation */
  readonly logprob: number;
  /** log-probs of the whole vocabulary, same definition */
  readonly logprobs: Float64Array;
}

const GREEDY_BELOW = 1e-6;
/** Finite stand-in for log 0, the float32 minimum: JSON has no infinity. */
const MIN_LOGPROB = -3.4028234663852886e38;

/**
 * Draws one token. `uniform` in [0, 1) is the only source of chance. Tokens in `banned` are never drawn, yet log-probs stay those
 * of the unrestricted distribution, as with every truncation. Returns null when a logit is not a number.
 */
export function chooseToken(
  logits: Float32Array,
  shape: SamplingShape,
  uniform: number,
  banned: ReadonlySet<number> = new Set(),
): TokenChoice | null {
  const isGreedy = shape.temperature < GREEDY_BELOW;
  const logprobs = logSoftmax(logits, isGreedy ? 1 : shape.temperature);
  if (logprobs === null) return null;
  const id = isGreedy ? likeliest(logprobs, banned) : draw(logprobs, truncate(logprobs, shape, banned), uniform);
  return { id, logprob: roundLogprob(logprobs[id] ?? MIN_LOGPROB), logprobs };
}

/** log softmax(logits / temperature) in float64; null when a logit is NaN or +∞, or all are −∞. */
export function logSoftmax(logits: Float32Array, temperature: number): Float64Array | null {
  let top = Number.NEGATIVE_INFINITY;
  for (const logit of logits) {
    if (Number.isNaN(logit)) return null;
    if (logit > top) top = logit;
  }
  if (!Number.isFinite(top)) return null;
  const logprobs = new Float64Array(logits.length);
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const shifted = ((logits[i] ?? 0) - top) / temperature;
    logprobs[i] = shifted;
    total += Math.exp(shifted);
  }
  const logTotal = Math.log(total);
  for (let i = 0; i < logprobs.length; i++) logprobs[i] = (logprobs[i] ?? 0) - logTotal;
  return logprobs;
}

/** As reported: float32, finite. */
export function roundLogprob(logprob: number): number {
  return Math.max(Math.fround(logprob), MIN_LOGPROB);
}

/** The `count` likeliest tokens, best first; ties go to the smaller id. */
export function topTokens(logprobs: Float64Array, count: number): number[] {
  return byLikelihood(logprobs).slice(0, count);
}

function byLikelihood(logprobs: Float64Array): number[] {
  return Array.from(logprobs.keys()).sort((a, b) => (logprobs[b] ?? 0) - (logprobs[a] ?? 0) || a - b);
}

function likeliest(logprobs: Float64Array, banned: ReadonlySet<number>): number {
  let best = -1;
  for (let id = 0; id < logprobs.length; id++) {
    if (banned.has(id)) continue;
    if (best < 0 || (logprobs[id] ?? 0) > (logprobs[best] ?? 0)) best = id;
  }
  return Math.max(best, 0);
}

/** Ids that may be drawn, ascending; null when that is all of them. Order of filters as in SGLang: top-k, top-p, min-p. */
function truncate(logprobs: Float64Array, shape: SamplingShape, banned: ReadonlySet<number>): number[] | null {
  const { topK, topP, minP } = shape;
  const isWhole = topP >= 1 && minP <= 0 && (topK === -1 || topK >= logprobs.length);
  if (isWhole && banned.size === 0) return null;
  let kept = byLikelihood(logprobs).filter((id) => !banned.has(id));
  if (topK !== -1) kept = kept.slice(0, topK);
  if (topP < 1) kept = nucleus(logprobs, kept, topP);
  if (minP > 0) {
    const floor = (logprobs[kept[0] ?? 0] ?? 0) + Math.log(minP);
    kept = kept.filter((id, rank) => rank === 0 || (logprobs[id] ?? 0) >= floor);
  }
  return kept.sort((a, b) => a - b);
}

/** Fewest likeliest tokens whose share of the kept mass reaches topP. */
function nucleus(logprobs: Float64Array, ranked: readonly number[], topP: number): number[] {
  const total = ranked.reduce((sum, id) => sum + Math.exp(logprobs[id] ?? 0), 0);
  let mass = 0;
  const kept: number[] = [];
  for (const id of ranked) {
    if (kept.length > 0 && mass >= topP * total) break;
    kept.push(id);
    mass += Math.exp(logprobs[id] ?? 0);
  }
  return kept;
}

/** Inverse of the cumulative distribution over the kept ids, in id order. */
function draw(logprobs: Float64Array, kept: readonly number[] | null, uniform: number): number {
  const count = kept?.length ?? logprobs.length;
  const at = (rank: number) => (kept === null ? rank : (kept[rank] ?? 0));
  let total = kept === null ? 1 : 0;
  for (const id of kept ?? []) total += Math.exp(logprobs[id] ?? 0);
  let left = uniform * total;
  let last = 0;
  for (let rank = 0; rank < count; rank++) {
    const probability = Math.exp(logprobs[at(rank)] ?? 0);
    if (probability === 0) continue;
    last = at(rank);
    left -= probability;
    if (left < 0) return last;
  }
  return last;
}
