import type { RowDrop } from '../../shared/wire/trainer';
import type { Microbatch } from './microbatches';
import { klEstimates } from './policy-loss-reference';

/** A row, or a batch, with a smaller share of its tokens left is a fragment: it is not trained at all. */
const MIN_KEPT_SHARE = 0.1;
/** Mean k3 of fresh tokens beyond which trainer and engine do not mean the same weights. */
const MISMATCH_LIMIT = 0.1;

export interface DriftVerdict {
  /** the same microbatches with the loss weight 0 wherever a token is left out */
  readonly parts: readonly Microbatch[];
  /** in the order of the rows */
  readonly dropped: readonly RowDrop[];
  /** tokens left out, those of dropped rows included */
  readonly maskedTokens: number;
  /** mean k3 of KL(samplers ‖ starting weights) over all tokens, before any was left out; null without tokens */
  readonly meanK3: number | null;
  /** largest |starting weights − sampler| of a token that these very weights sampled: rounding, unless something is set up wrongly */
  readonly farthestFresh: number | null;
  /** hardly anything remains: the batch is to be given back untrained */
  readonly isExhausted: boolean;
}

/**
 * Leaves out the tokens that the samplers and the starting weights see too differently, and the rows of which hardly any remain.
 *
 * A batch is never judged as a whole: one row far from the present policy says nothing about the others. Weights of what
 * remains are as they were, so that leaving out never makes the rest heavier.
 *
 * @param proximals - log-probabilities under the starting weights, aligned with the microbatches
 * @param limit - largest |proximal − behaviour| of a token that is trained; null = no limit
 */
export function judgeDrift(
  parts: readonly Microbatch[],
  proximals: readonly Float32Array[],
  limit: number | null,
): DriftVerdict {
  const fresh = freshTokens(parts, proximals);
  const isMismatched = mean(fresh.map(({ k3 }) => k3)) > MISMATCH_LIMIT;
  const total = { tokens: 0, kept: 0, k3: 0 };
  const dropped: RowDrop[] = [];
  const judged = parts.map((part, i) => {
    const weights = part.inputs.weights.slice();
    part.spoolRows.forEach((row, r) => {
      const tokens = tokensOfRow(part, proximals[i], r);
      const isOut = ({ at, logRatio }: RowToken): boolean =>
        (limit !== null && Math.abs(logRatio) > limit) || (isMismatched && part.ages[at] === 0);
      const kept = tokens.filter((token) => !isOut(token));
      const isDropped = kept.length < tokens.length * MIN_KEPT_SHARE;
      for (const token of tokens) if (isDropped || isOut(token)) weights[token.at] = 0;
      if (isDropped)
        // fresh tokens cannot drift
        dropped.push({
          row,
          reason: tokens.some((token) => part.ages[token.at] === 0 && isOut(token)) ? 'mismatch' : 'drift',
        });
      total.tokens += tokens.length;
      total.kept += isDropped ? 0 : kept.length;
      total.k3 += tokens.reduce((sum, { k3 }) => sum + k3, 0);
    });
    return { ...part, inputs: { ...part.inputs, weights } };
  });
  return {
    parts: judged,
    dropped: dropped.sort((a, b) => a.row - b.row),
    maskedTokens: total.tokens - total.kept,
    meanK3: total.tokens === 0 ? null : total.k3 / total.tokens,
    farthestFresh:
      fresh.length === 0 ? null : fresh.reduce((most, { logRatio }) => Math.max(most, Math.abs(logRatio)), 0),
    isExhausted: total.kept < total.tokens * MIN_KEPT_SHARE,
  };
}

/** True when some token was sampled by an older version than the one that is trained. */
export function hasOldTokens(parts: readonly Microbatch[]): boolean {
  return parts.some(({ ages }) => ages.some((age) => age > 0));
}

interface RowToken {
  /** its place in the arrays of the microbatch */
  readonly at: number;
  readonly logRatio: number;
  readonly k3: number;
}

function tokensOfRow({ inputs }: Microbatch, proximal: Float32Array | undefined, row: number): RowToken[] {
  const tokens: RowToken[] = [];
  for (let at = row * inputs.length; at < (row + 1) * inputs.length; at++) {
    if (inputs.weights[at] === 0) continue;
    const [now, then] = [proximal?.[at] ?? 0, inputs.behave[at] ?? 0];
    tokens.push({ at, logRatio: now - then, k3: klEstimates({ sampler: then, other: now }).k3 });
  }
  return tokens;
}

/** What the very weights in training sampled. */
function freshTokens(parts: readonly Microbatch[], proximals: readonly Float32Array[]): RowToken[] {
  return parts.flatMap((part, i) =>
    part.spoolRows.flatMap((_, r) => tokensOfRow(part, proximals[i], r).filter(({ at }) => part.ages[at] === 0)),
  );
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
