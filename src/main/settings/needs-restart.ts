import type { Settings } from '../../shared/ipc/contract';

/** What gateway and trainer read once, at their start; the settings of training go to a running trainer. */
const READ_AT_START = [
  'experiment',
  'trial',
  'batchSize',
  'gatewayPort',
] as const satisfies readonly (keyof Settings)[];

/** True when what runs differs from what is chosen; choosing the old value again makes it false again. */
export function needsRestart(startedWith: Settings, chosen: Settings): boolean {
  return READ_AT_START.some((field) => startedWith[field] !== chosen[field]);
}
