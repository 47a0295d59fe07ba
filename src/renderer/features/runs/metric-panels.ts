import type { TrainingMetrics } from '../../../shared/wire/rl';

/** Panels in reading order, each with the metrics of one unit that it draws. */
export const metricPanels = [
  { id: 'reward', keys: ['reward/mean'] },
  { id: 'reference-kl', keys: ['kl/ref'] },
  { id: 'behave-kl', keys: ['kl/behave_k3'] },
  { id: 'entropy', keys: ['policy/entropy'] },
  { id: 'clip', keys: ['clip/clip_ratio', 'clip/dual_clip_ratio', 'clip/rs_filtered_fraction'] },
  { id: 'gradient', keys: ['optim/grad_norm'] },
  { id: 'staleness', keys: ['version/staleness_mean', 'version/staleness_p95', 'version/staleness_max'] },
  { id: 'ess', keys: ['ratio/ess'] },
  { id: 'loss', keys: ['loss/actor', 'loss/kl'] },
  { id: 'time', keys: ['time/total', 'time/forward_backward', 'time/logp'] },
] as const;

export type PanelId = (typeof metricPanels)[number]['id'];

export interface MetricPanel {
  readonly id: PanelId;
  /** the metrics of the panel that at least one batch reported */
  readonly keys: readonly string[];
}

/** What can be drawn, and which metrics no batch reported. */
export function panelsOf(batches: TrainingMetrics['batches']): {
  readonly panels: readonly MetricPanel[];
  readonly missing: readonly string[];
} {
  const reported = new Set(batches.flatMap(({ values }) => Object.keys(values)));
  const all = metricPanels.map(({ id, keys }) => ({ id, keys: keys.filter((key) => reported.has(key)) }));
  return {
    panels: all.filter(({ keys }) => keys.length > 0),
    missing: metricPanels.flatMap(({ keys }) => keys.filter((key) => !reported.has(key))),
  };
}
