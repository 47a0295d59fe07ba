import { summarize } from '../../shared/domain/advantages';
import { klEstimates, type PolicyLossSettings, referenceKl, type TokenTerm, tokenTerm } from './policy-loss-reference';
import type { PassRecord, StepReport } from './policy-optimizer';
import type { TrainingBatch } from './training-batch';

/** Metric name → value; null where it is not defined. Names follow the trainer contract rlt/1. */
export type MetricValues = Record<string, number | null>;

/** What the data of a batch says, whether or not it is trained. */
export function dataMetrics(batch: TrainingBatch, trainVersion: number): MetricValues {
  const { counts, rewards, groups } = batch;
  const reward = summarize(rewards);
  const adv = summarize(batch.advantages);
  const ages = [...counts.ages].sort((a, b) => a - b);
  const members = new Map<number, number[]>();
  groups.forEach((group, i) => {
    members.set(group, [...(members.get(group) ?? []), rewards[i] ?? 0]);
  });
  const perGroup = [...members.values()];
  return {
    'reward/mean': reward.count === 0 ? null : reward.mean,
    'reward/std': reward.std,
    'reward/min': extreme(Math.min, rewards),
    'reward/max': extreme(Math.max, rewards),
    'reward/n_zero_var_groups': perGroup.filter((group) => group.length > 1 && group.every((r) => r === group[0]))
      .length,
    'adv/mean': adv.count === 0 ? null : adv.mean,
    'adv/std': adv.std,
    'adv/absmax': extreme(Math.max, batch.advantages.map(Math.abs)),
    'version/train': trainVersion,
    'version/head_min': ages.length === 0 ? null : trainVersion - (ages.at(-1) ?? 0),
    'version/tail_max': ages.length === 0 ? null : trainVersion - (ages[0] ?? 0),
    'version/staleness_mean': ages.length === 0 ? null : summarize(ages).mean,
    'version/staleness_p50': quantile(ages, 0.5),
    'version/staleness_p95': quantile(ages, 0.95),
    'version/staleness_max': ages.at(-1) ?? null,
    'version/tokens_masked_stale': counts.staleTokens,
    'version/rows_dropped': counts.staleRows,
    'tokens/total': counts.tokens,
    'tokens/trainable': counts.sampledTokens,
    'tokens/prompt': counts.tokens - counts.sampledTokens,
    'data/sessions': rewards.length,
    'data/rows': counts.rows,
    'data/groups': perGroup.length,
    'data/mean_turns': rewards.length === 0 ? null : counts.rows / rewards.length,
    'data/truncated_fraction': counts.rows === 0 ? null : counts.truncatedRows / counts.rows,
    'data/distorted_rows': counts.distortedRows,
    'data/nonfinite_tokens': counts.nonfiniteTokens,
    'loss_weight/singleton_groups': perGroup.filter((group) => group.length === 1).length,
    'loss_weight/max': extreme(
      Math.max,
      batch.rows.map((row) => row.weight),
    ),
  };
}

/**
 * What the last pass over a batch measured, in float64 from its log-probabilities. Weighted sums use the loss weights.
 *
 * `step` and `approx_kl` compare that pass with the first, so they hold every optimizer step but the last; with one epoch they are 0.
 */
export function lossMetrics(settings: PolicyLossSettings, report: StepReport): MetricValues {
  const tokens = report.passes.flatMap((pass) => termsOf(settings, pass));
  const ratios = summarizeRatios(tokens);
  const fresh = tokens.filter((token) => token.age === 0);
  const places = report.passes.reduce((sum, { part }) => sum + part.inputs.ids.length, 0);
  const share = (test: (token: MeasuredToken) => boolean) => mean(tokens, (token) => (test(token) ? 1 : 0));
  return {
    ...ratios,
    'version/tokens_masked_drift': report.drift.maskedTokens,
    'version/rows_dropped_drift': report.drift.dropped.length,
    'kl/behave_k3_all': report.drift.meanK3,
    'clip/clip_ratio': share(({ term }) => term.clipped !== null),
    'clip/low': share(({ term }) => term.clipped === 'low'),
    'clip/high': share(({ term }) => term.clipped === 'high'),
    'clip/dual_clip_ratio': share(({ term }) => term.dualClipped),
    'clip/rs_filtered_fraction': share(({ term }) => term.filtered),
    ...shifts('step', tokens, ({ newLogprob, proximal }) => newLogprob - proximal),
    ...shifts('behave', tokens, ({ proximal, behave }) => proximal - behave),
    'logratio/fresh_max': report.drift.farthestFresh,
    'kl/approx_kl': mean(tokens, (token) => stepKl(token).k3),
    'kl/approx_kl_k1': mean(tokens, (token) => stepKl(token).k1),
    'kl/behave_approx_kl': mean(tokens, ({ proximal, behave }) => proximal - behave),
    'kl/behave_k2': mean(tokens, (token) => behaveKl(token).k2),
    'kl/behave_k3': mean(tokens, (token) => behaveKl(token).k3),
    'kl/ref': mean(tokens, ({ newLogprob, reference }) => referenceKl({ newLogprob, referenceLogprob: reference })),
    'kl/mismatch_fresh': mean(fresh, (token) => behaveKl(token).k3),
    'policy/entropy': mean(tokens, (token) => token.entropy),
    'policy/new_logp': mean(tokens, (token) => token.newLogprob),
    'policy/old_logp': mean(tokens, (token) => token.behave),
    'loss/actor': tokens.reduce((sum, { weight, term }) => sum + weight * term.policy, 0),
    'loss/kl': tokens.reduce((sum, { weight, term }) => sum + weight * term.kl, 0),
    'optim/grad_norm': report.gradientNorm,
    'optim/lr': report.learningRate,
    'optim/skipped': report.skippedSteps,
    'tokens/padding_fraction': places === 0 ? null : 1 - tokensRead(report) / places,
    'time/logp': report.seconds.reference,
    'time/forward_backward': report.seconds.forwardBackward,
    'time/optim': report.seconds.optimizer,
  };
}

interface MeasuredToken {
  readonly weight: number;
  readonly age: number;
  readonly newLogprob: number;
  readonly proximal: number;
  readonly behave: number;
  readonly reference: number;
  readonly entropy: number;
  readonly term: TokenTerm;
}

function termsOf(settings: PolicyLossSettings, pass: PassRecord): MeasuredToken[] {
  const { inputs } = pass.part;
  const measured: MeasuredToken[] = [];
  inputs.weights.forEach((weight, i) => {
    if (weight === 0) return;
    const newLogprob = pass.logprobs[i] ?? 0;
    const [proximal, behave] = [pass.proximal[i] ?? 0, inputs.behave[i] ?? 0];
    const reference = pass.reference[i] ?? 0;
    const term = tokenTerm(settings, {
      weight,
      advantage: inputs.advantages[i] ?? 0,
      newLogprob,
      proximalLogprob: proximal,
      behaveLogprob: behave,
      referenceLogprob: reference,
    });
    const [age, entropy] = [pass.part.ages[i] ?? 0, pass.entropy[i] ?? 0];
    measured.push({ weight, age, newLogprob, proximal, behave, reference, entropy, term });
  });
  return measured;
}

/** KL(start of the batch ‖ last pass). The tokens count as drawn by the weights that the batch began with. */
const stepKl = ({ proximal, newLogprob }: MeasuredToken) => klEstimates({ sampler: proximal, other: newLogprob });
/** KL(samplers ‖ start of the batch). */
const behaveKl = ({ behave, proximal }: MeasuredToken) => klEstimates({ sampler: behave, other: proximal });

/** Size of the log-ratios over the tokens: a mean says nothing of how it came about, and one token can make it. */
function shifts(
  name: string,
  tokens: readonly MeasuredToken[],
  logRatio: (token: MeasuredToken) => number,
): MetricValues {
  const sizes = tokens.map((token) => Math.abs(logRatio(token))).sort((a, b) => a - b);
  return {
    [`logratio/${name}_p50`]: quantile(sizes, 0.5),
    [`logratio/${name}_p99`]: quantile(sizes, 0.99),
    [`logratio/${name}_max`]: sizes.at(-1) ?? null,
  };
}

function summarizeRatios(tokens: readonly MeasuredToken[]): MetricValues {
  const behave = tokens.map(({ term }) => term.behaveRatio).sort((a, b) => a - b);
  const total = behave.reduce((sum, w) => sum + w, 0);
  const squares = behave.reduce((sum, w) => sum + w * w, 0);
  return {
    'ratio/importance_weight_avg': mean(tokens, ({ term }) => term.ratio),
    'ratio/importance_weight_max': extreme(
      Math.max,
      tokens.map(({ term }) => term.ratio),
    ),
    'ratio/behave_imp_weight_avg': behave.length === 0 ? null : total / behave.length,
    'ratio/behave_imp_weight_max': behave.at(-1) ?? null,
    'ratio/behave_imp_weight_p99': quantile(behave, 0.99),
    // (Σw)² / (n Σw²): 1 when all tokens count alike, 1/n when one carries everything
    'ratio/ess': behave.length === 0 ? null : (total * total) / (behave.length * squares),
  };
}

function tokensRead(report: StepReport): number {
  return report.passes.reduce((sum, { part }) => sum + part.positions, 0);
}

function mean<T>(items: readonly T[], of: (item: T) => number): number | null {
  return items.length === 0 ? null : items.reduce((sum, item) => sum + of(item), 0) / items.length;
}

function extreme(pick: (...values: number[]) => number, values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => pick(a, b));
}

/** Nearest rank of ascending values. */
function quantile(sorted: readonly number[], q: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? null;
}
