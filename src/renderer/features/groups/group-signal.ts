import type { Baseline } from '../../../shared/wire/trainer';
import { useSettings } from '../../data/shared-queries';

/**
 * What a group without contrast means to the trainer: under a baseline within groups it has no signal, under one within
 * batches it is compared all the same. What an opened dump was trained with, no dump says.
 */
export type GroupSignal = 'none' | 'by-batch' | 'unknown';

export function groupSignal(isLive: boolean, baseline: Baseline): GroupSignal {
  if (!isLive) return 'unknown';
  return baseline === 'batch' || baseline === 'batch_loo' ? 'by-batch' : 'none';
}

export function useGroupSignal(isLive: boolean): GroupSignal {
  return groupSignal(isLive, useSettings().baseline);
}
