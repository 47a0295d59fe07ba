import type { TrainingMetrics } from '../../../shared/wire/rl';

/** Panels in reading order, each with the metrics of one unit that it draws; shares, ages and times are read from zero. */
export const metricPanels = [
  { id: 'reward', keys: ['reward/mean'], fromZero: false },
  { id: 'reference-kl', keys: ['kl/ref'], fromZero: false },
  { id: 'behave-kl', keys: ['kl/behave_k3'], fromZero: false },
  { id: 'mismatch', keys: ['logratio/fresh_max'], fromZero: true },
  { id: 'step', keys: ['logratio/step_p99', 'logratio/step_max'], fromZero: true },
  { id: 'entropy', keys: ['policy/entropy'], fromZero: false },
  { id: 'clip', keys: ['clip/clip_ratio', 'clip/dual_clip_ratio', 'clip/rs_filtered_fraction'], fromZero: true },
  { id: 'gradient', keys: ['optim/grad_norm'], fromZero: false },
  {
    id: 'staleness',
    keys: ['version/staleness_mean', 'version/staleness_p95', 'version/staleness_max'],
    fromZero: true,
  },
  { id: 'ess', keys: ['ratio/ess'], fromZero: true },
  { id: 'loss', keys: ['loss/actor', 'loss/kl'], fromZero: false },
  { id: 'time', keys: ['time/total', 'time/forward_backward', 'time/logp'], fromZero: true },
] as const;

export type PanelId = (typeof metricPanels)[number]['id'];

export interface MetricPanel {
  readonly id: PanelId;
  /** the metrics of the panel that at least one batch reported */
  readonly keys: readonly string[];
  readonly fromZero: boolean;
}

/** What can be drawn, and which metrics no batch reported. */
export function panelsOf(batches: TrainingMetrics['batches']): {
  readonly panels: readonly MetricPanel[];
  readonly missing: readonly string[];
} {
  const reported = new Set(batches.flatMap(({ values }) => Object.keys(values)));
  const all = metricPanels.map(({ id, keys, fromZero }) => ({
    id,
    keys: keys.filter((key) => reported.has(key)),
    fromZero,
  }));
  return {
    panels: all.filter(({ keys }) => keys.length > 0),
    missing: metricPanels.flatMap(({ keys }) => keys.filter((key) => !reported.has(key))),
  };
}
