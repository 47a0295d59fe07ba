import type { Algorithm } from '../../shared/wire/trainer';

/** The part of the algorithm settings that shapes the loss of one token. */
export type PolicyLossSettings = Pick<
  Algorithm,
  'clip_low' | 'clip_high' | 'dual_clip' | 'behave_weight' | 'behave_cap' | 'kl_beta'
>;

/** One token of the loss; arrays of tokens are flat over a batch. Log-probabilities are natural logarithms. */
export interface PolicyToken {
  /** weight in the loss, 1/D shared out; 0 = not trained (prompt, padding, too old) */
  readonly weight: number;
  readonly advantage: number;
  /** under the weights being trained */
  readonly newLogprob: number;
  /** under the weights the batch started from */
  readonly proximalLogprob: number;
  /** as the sampler recorded it */
  readonly behaveLogprob: number;
  /** under the frozen seed weights */
  readonly referenceLogprob: number;
}

/** What became of one token, for the loss and its statistics. */
export interface TokenTerm {
  /** clipped surrogate times the behaviour weight, before the token's loss weight */
  readonly policy: number;
  /** k3 to the reference times the behaviour weight, before beta and the loss weight */
  readonly kl: number;
  /** new over proximal probability */
  readonly ratio: number;
  /** proximal over behaviour probability, before the cap */
  readonly behaveRatio: number;
  readonly clipped: 'low' | 'high' | null;
  readonly dualClipped: boolean;
  /** the behaviour weight exceeded its cap under `mask` */
  readonly filtered: boolean;
}

/** Log-ratios are clamped to ± this before exp, so that one absurd token cannot overflow the sum. */
export const LOG_RATIO_LIMIT = 20;
/** The KL's own, tighter clamp: unclamped, one collapsed token made k3 spike to 25 and its gradient take over the step. */
export const KL_LOG_RATIO_LIMIT = 3;

/**
 * Decoupled PPO with dual clip, capped behaviour weight and k3 KL to a reference, in float64: the rule that the tensor
 * version must reproduce, and the source of the statistics.
 *
 * u = exp(new − proximal), w = exp(proximal − behave). policy = w · max(−A·u, −A·clip(u)), for A < 0 at most −A·c.
 * w > cap: `mask` drops the token, `truncate` caps w; `off` means w = 1. The KL carries the same w, because the tokens
 * were drawn by the behaviour policy.
 */
export function tokenTerm(settings: PolicyLossSettings, token: PolicyToken): TokenTerm {
  const { advantage } = token;
  const ratio = Math.exp(clamp(token.newLogprob - token.proximalLogprob, LOG_RATIO_LIMIT));
  const behaveRatio = Math.exp(clamp(token.proximalLogprob - token.behaveLogprob, LOG_RATIO_LIMIT));
  const low = 1 - settings.clip_low;
  const high = 1 + settings.clip_high;
  const unclipped = -advantage * ratio;
  const clippedTerm = -advantage * Math.min(Math.max(ratio, low), high);
  const pessimistic = Math.max(unclipped, clippedTerm);
  const bound =
    settings.dual_clip === null || advantage >= 0 ? Number.POSITIVE_INFINITY : -advantage * settings.dual_clip;
  const filtered = settings.behave_weight === 'mask' && behaveRatio > settings.behave_cap;
  const weight = filtered ? 0 : behaviourWeight(settings, behaveRatio);
  return {
    policy: Math.min(pessimistic, bound) * weight,
    kl: referenceKl(token) * weight,
    ratio,
    behaveRatio,
    clipped: clippedTerm > unclipped ? (ratio < low ? 'low' : 'high') : null,
    dualClipped: pessimistic > bound,
    filtered,
  };
}

/** Σ weight · (policy + β · kl). Tokens of weight 0 are not looked at, whatever they hold. */
export function policyLossReference(settings: PolicyLossSettings, tokens: readonly PolicyToken[]): number {
  let loss = 0;
  for (const token of tokens) {
    if (token.weight === 0) continue;
    const { policy, kl } = tokenTerm(settings, token);
    loss += token.weight * (policy + settings.kl_beta * kl);
  }
  return loss;
}

function behaviourWeight(settings: PolicyLossSettings, behaveRatio: number): number {
  switch (settings.behave_weight) {
    case 'mask':
      return behaveRatio;
    case 'truncate':
      return Math.min(behaveRatio, settings.behave_cap);
    case 'off':
      return 1;
  }
}

/** k3 of one token to the reference, with the loss's own clamp: what is shown is what is penalised. */
export function referenceKl({
  newLogprob,
  referenceLogprob,
}: Pick<PolicyToken, 'newLogprob' | 'referenceLogprob'>): number {
  const d = clamp(referenceLogprob - newLogprob, KL_LOG_RATIO_LIMIT);
  return Math.exp(d) - 1 - d;
}

/**
 * Estimators of KL(sampler ‖ other) from tokens that the sampler drew: k1 = −d, k2 = d²/2, k3 = e^d − 1 − d, with
 * d = other − sampler within ±10.
 *
 * The direction is not a matter of taste. Averaged over what the sampler draws, k1 and k3 are that KL; with d turned round k3
 * becomes χ² less the KL, which one token that has become unlikely by 10 nats drives to 22,000.
 *
 * @remarks Schulman, "Approximating KL divergence", 2020
 */
export function klEstimates({ sampler, other }: { readonly sampler: number; readonly other: number }): KlEstimates {
  const d = clamp(other - sampler, 10);
  return { k1: -d, k2: (d * d) / 2, k3: Math.exp(d) - 1 - d };
}

export interface KlEstimates {
  readonly k1: number;
  readonly k2: number;
  readonly k3: number;
}

function clamp(value: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, value));
}
