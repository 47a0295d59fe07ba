import type { ProcessView } from '../../shared/ipc/contract';
import type { Status } from '../../shared/wire/rl';
import type { GatewayProblem } from '../data/gateway-problem';
import type { Messages } from '../i18n/en';
import { fieldWord } from '../i18n/text';

export type Tone = 'neutral' | 'busy' | 'good' | 'warn' | 'bad';
export interface Fact {
  readonly tone: Tone;
  readonly word: string;
}

interface Known {
  readonly status: Status | undefined;
  readonly problem: GatewayProblem | null;
  readonly processes: readonly ProcessView[];
}

/** Which weights answer, and by which engine; what is missing when none do. */
export function servedFact({ status, problem, processes }: Known, text: Messages): Fact {
  const words = text.shell.status;
  const engine = processes.find(({ name }) => name === 'engine');
  if (engine?.state === 'failed' || (problem === null && status?.engine.state === 'failed')) {
    return { tone: 'bad', word: words.engineFailed };
  }
  if (engine?.state === 'stopped') return { tone: 'warn', word: words.engineStopped };
  if (engine?.state === 'starting') return { tone: 'busy', word: words.engineStarting };
  if (problem !== null && problem.kind !== 'not-ready') return { tone: 'bad', word: words.gatewayLost };
  if (status === undefined) return { tone: 'busy', word: words.gatewayStarting };
  if (status.engine.state === 'updating') return { tone: 'busy', word: words.updating(status.trained_version) };
  if (status.engine.state === 'waiting' || status.served_version === null) return { tone: 'busy', word: words.waiting };
  return { tone: 'good', word: words.served(status.served_version, engineName(status, text)) };
}

function engineName({ engine, model }: Status, text: Messages): string {
  return engine.name === null ? model.name : fieldWord('engine', engine.name, text);
}

export function trainerFact({ status, processes }: Known, text: Messages): Fact {
  const words = text.shell.status;
  const trainer = processes.find(({ name }) => name === 'trainer');
  if (trainer?.state === 'failed') return { tone: 'bad', word: words.trainerFailed };
  if (status?.trainer.state === 'training') {
    const { fraction } = status.trainer;
    return { tone: 'busy', word: words.training(fraction === null ? null : Math.round(fraction * 100)) };
  }
  if (trainer?.state === 'starting') return { tone: 'busy', word: words.trainerStarting };
  if (status === undefined || status.trainer.state === 'off') return { tone: 'neutral', word: words.trainerOff };
  return { tone: 'neutral', word: words.trainerIdle };
}
