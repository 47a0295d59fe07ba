import { create } from 'zustand';
import type { ProcessView } from '../../../shared/ipc/contract';

interface RunsStore {
  readonly log: ProcessView['name'];
  /** the log pane stays at its end while lines arrive */
  readonly following: boolean;
  /** also settings that repeat those told before */
  readonly everyLine: boolean;
}

/** What a person is looking at on the Training screen. */
export const useRunsStore = create<RunsStore>(() => ({ log: 'trainer', following: true, everyLine: false }));
