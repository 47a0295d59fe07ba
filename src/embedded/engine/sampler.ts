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
  readonly distribution: Distribution;
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
  const distribution = Distribution.of(logits, shape.temperature);
  if (distribution === null) return null;
  const id =
    shape.temperature < GREEDY_BELOW
      ? likeliest(logits, banned)
      : draw(distribution, truncate(distribution, shape, banned), uniform);
  return { id, logprob: distribution.logprob(id), distribution };
}

/**
 * e^((logit − max) / T) of the distribution made last, unnormalised. One array for all: a batch would otherwise leave hundreds of
 * kilobytes per step to the garbage collector. Only chooseToken reads it, between making a distribution and returning.
 */
let powers = new Float64Array();

/** softmax(logits / T) in float64; T below 1e-6 reads as 1. */
export class Distribution {
  readonly #logits: Float32Array;
  readonly #top: number;
  readonly #temperature: number;
  /** sum of the powers */
  readonly #total: number;

  private constructor(logits: Float32Array, top: number, temperature: number) {
    this.#logits = logits;
    this.#top = top;
    this.#temperature = temperature;
    this.#total = fillPowers(logits, top, temperature);
  }

  /** null when a logit is NaN or +∞, or all are −∞ */
  static of(logits: Float32Array, temperature: number): Distribution | null {
    let top = Number.NEGATIVE_INFINITY;
    for (let id = 0; id < logits.length; id++) {
      const logit = logits[id] as number;
      if (logit > top) top = logit;
      else if (Number.isNaN(logit)) return null;
    }
    return Number.isFinite(top) ? new Distribution(logits, top, temperature < GREEDY_BELOW ? 1 : temperature) : null;
  }

  get size(): number {
    return this.#logits.length;
  }

  get total(): number {
    return this.#total;
  }

  /** As reported: float32, finite. */
  logprob(id: number): number {
    const exact = ((this.#logits[id] ?? 0) - this.#top) / this.#temperature - Math.log(this.#total);
    return Math.max(Math.fround(exact), MIN_LOGPROB);
  }

  /** Ids from the likeliest down; ties go to the smaller id. */
  ranked(): number[] {
    return Array.from(this.#logits.keys()).sort((a, b) => (this.#logits[b] ?? 0) - (this.#logits[a] ?? 0) || a - b);
  }
}

/** Fills `powers` and returns their sum, added in id order. */
function fillPowers(logits: Float32Array, top: number, temperature: number): number {
  if (powers.length < logits.length) powers = new Float64Array(logits.length);
  const into = powers;
  let total = 0;
  for (let id = 0; id < logits.length; id++) {
    const power = Math.exp(((logits[id] as number) - top) / temperature);
    into[id] = power;
    total += power;
  }
  return total;
}

function likeliest(logits: Float32Array, banned: ReadonlySet<number>): number {
  let best = -1;
  for (let id = 0; id < logits.length; id++) {
    if (banned.has(id)) continue;
    if (best < 0 || (logits[id] ?? 0) > (logits[best] ?? 0)) best = id;
  }
  return Math.max(best, 0);
}

/** Ids that may be drawn, ascending; null when that is all of them. Order of filters as in SGLang: top-k, top-p, min-p. */
function truncate(distribution: Distribution, shape: SamplingShape, banned: ReadonlySet<number>): number[] | null {
  const { topK, topP, minP } = shape;
  const isWhole = topP >= 1 && minP <= 0 && (topK === -1 || topK >= distribution.size);
  if (isWhole && banned.size === 0) return null;
  let kept = distribution.ranked().filter((id) => !banned.has(id));
  if (topK !== -1) kept = kept.slice(0, topK);
  if (topP < 1) kept = nucleus(kept, topP);
  const floor = minP * (powers[kept[0] ?? 0] ?? 0);
  return kept.filter((id, rank) => rank === 0 || (powers[id] ?? 0) >= floor).sort((a, b) => a - b);
}

/** Fewest likeliest tokens whose share of the kept mass reaches topP. */
function nucleus(ranked: readonly number[], topP: number): number[] {
  const total = ranked.reduce((sum, id) => sum + (powers[id] ?? 0), 0);
  let mass = 0;
  const kept: number[] = [];
  for (const id of ranked) {
    if (kept.length > 0 && mass >= topP * total) break;
    kept.push(id);
    mass += powers[id] ?? 0;
  }
  return kept;
}

/** Inverse of the cumulative distribution over the kept ids, in id order. */
function draw({ total, size }: Distribution, kept: readonly number[] | null, uniform: number): number {
  if (kept === null) return drawAll(size, uniform * total);
  let left = uniform * kept.reduce((sum, id) => sum + (powers[id] ?? 0), 0);
  let last = kept[0] ?? 0;
  for (const id of kept) {
    const power = powers[id] ?? 0;
    if (power === 0) continue;
    last = id;
    left -= power;
    if (left < 0) return last;
  }
  return last;
}

function drawAll(size: number, target: number): number {
  const from = powers;
  let left = target;
  let last = 0;
  for (let id = 0; id < size; id++) {
    const power = from[id] as number;
    if (power === 0) continue;
    last = id;
    left -= power;
    if (left < 0) return last;
  }
  return last;
}
