import type { ProcessView, StudioTrouble } from '../../shared/ipc/contract';
import type { Trouble } from '../../shared/wire/rl';
import type { GatewayProblem } from '../data/gateway-problem';
import type { Messages } from '../i18n/en';

export type TroubleRemedy =
  | 'restart-engine'
  | 'restart-trainer'
  | 'show-data'
  | 'show-dump'
  | 'show-logs'
  | 'settings'
  | 'training'
  /** takes note of what a damaged database cost; the line goes */
  | 'note-recovery';

export interface TroubleLine extends Trouble {
  readonly remedy: TroubleRemedy;
}

export interface TroubleSources {
  readonly gateway: readonly Trouble[];
  readonly studio: readonly StudioTrouble[];
  readonly processes: readonly ProcessView[];
  /** why the last status read failed; null when it did not */
  readonly lost: GatewayProblem | null;
}

/** All that is wrong now, worst first, each cause once. */
export function collectTrouble(sources: TroubleSources, text: Messages): TroubleLine[] {
  const words = text.shell.trouble;
  const lines: Trouble[] = [...sources.studio];
  if (sources.lost !== null && sources.lost.kind !== 'not-ready' && sources.lost.kind !== 'aborted') {
    const message = sources.lost.kind === 'unreachable' ? words.gatewayLost : sources.lost.message;
    lines.push({ kind: 'gateway-lost', message, advice: words.gatewayLostAdvice });
  }
  for (const process of sources.processes) {
    if (process.state !== 'failed') continue;
    const message = process.name === 'engine' ? words.engineFailed : words.trainerFailed;
    lines.push({ kind: `${process.name}-failed`, message, advice: process.detail ?? words.engineAdvice });
  }
  lines.push(...sources.gateway);
  const seen = new Set<string>();
  return lines
    .filter(({ kind }) => !seen.has(kind) && seen.add(kind))
    .map((line) => ({ ...line, remedy: remedyOf(line.kind) }));
}

const remedies: ReadonlyMap<string, TroubleRemedy> = new Map<string, TroubleRemedy>([
  // of the gateway
  ['engine-failed', 'restart-engine'],
  ['training-disk', 'show-data'],
  ['publish-refused', 'restart-engine'],
  ['dump-failed', 'show-dump'],
  ['database-recovered', 'note-recovery'],
  ['database-failed', 'show-data'],
  ['disk-full', 'show-data'],
  // Files of the run folder contradict the database: somebody has to put files back.
  ['run-folder', 'show-data'],
  ['foreign-batch', 'show-data'],
  ['run-behind', 'show-data'],
  // of the trainer, by its error codes
  ['trainer-failed', 'restart-trainer'],
  ['trainer-disk', 'show-data'],
  ['trainer-corrupt_head', 'show-data'],
  ['trainer-corrupt_checkpoint', 'show-data'],
  ['trainer-spool_corrupt', 'show-data'],
  ['trainer-model_load', 'show-data'],
  ['trainer-schema_mismatch', 'show-data'],
  ['trainer-bad_config', 'settings'],
  ['trainer-divergence', 'settings'],
  ['trainer-out_of_memory', 'settings'],
  ['trainer-batch_conflict', 'training'],
  ['trainer-crash', 'restart-trainer'],
  ['trainer-environment', 'restart-trainer'],
  ['trainer-locked', 'restart-trainer'],
  // of the desktop
  ['weights-damaged', 'show-data'],
  ['settings-file', 'settings'],
  ['data-folder', 'settings'],
  ['already-running', 'show-data'],
  ['model', 'show-data'],
  ['gateway', 'settings'],
  ['studio-start', 'show-logs'],
  // of this window
  ['gateway-lost', 'show-logs'],
]);

/** The remedy of a kind we know, null for one we do not; a test holds this against every kind the programs report. */
export function knownRemedy(kind: string): TroubleRemedy | null {
  // Each batch set aside is a trouble of its own, with the batch's number in its kind.
  if (/^batch-set-aside-\d+$/.test(kind)) return 'training';
  return remedies.get(kind) ?? null;
}

/** The button for a kind. A newer gateway or another trainer may say one we do not know: its subject decides then. */
export function remedyOf(kind: string): TroubleRemedy {
  const known = knownRemedy(kind);
  if (known !== null) return known;
  if (/dump/.test(kind)) return 'show-dump';
  if (/disk|database|data-dir/.test(kind)) return 'show-data';
  if (/engine|backend|weights/.test(kind)) return 'restart-engine';
  if (/trainer/.test(kind)) return 'restart-trainer';
  if (/port|settings/.test(kind)) return 'settings';
  return 'training';
}
