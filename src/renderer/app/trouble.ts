import type { ProcessView, StudioTrouble } from '../../shared/ipc/contract';
import type { Trouble } from '../../shared/wire/rl';
import type { GatewayProblem } from '../data/gateway-problem';
import type { Messages } from '../i18n/en';

export type TroubleRemedy = 'restart-engine' | 'restart-trainer' | 'show-data' | 'show-dump' | 'settings' | 'training';

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

/** The button for a kind; kinds are free words of gateway and desktop, so the subject in them decides. */
export function remedyOf(kind: string): TroubleRemedy {
  if (/dump/.test(kind)) return 'show-dump';
  if (/disk|database|data-dir/.test(kind)) return 'show-data';
  if (/engine|backend|weights/.test(kind)) return 'restart-engine';
  if (/trainer/.test(kind)) return 'restart-trainer';
  if (/port|settings/.test(kind)) return 'settings';
  return 'training';
}
