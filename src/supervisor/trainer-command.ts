import { TRAINER_EXIT } from '../shared/wire/trainer';
import { type ProcessExit, type SupervisedProgram, scriptCommand } from './program';
import type { RestartPolicy } from './restart-policy';

/** rlt/1: restart after 2, 4, 8, 16, 60 s; five in a quarter of an hour, then it is shown. A full disk is waited for. */
export const TRAINER_RESTART_POLICY: RestartPolicy = {
  maxRestarts: 5,
  windowMs: 15 * 60_000,
  delaysMs: [2000, 4000, 8000, 16_000, 60_000],
  noRestartExitCodes: [
    TRAINER_EXIT.badConfig,
    TRAINER_EXIT.environment,
    TRAINER_EXIT.modelLoad,
    TRAINER_EXIT.schemaMismatch,
    TRAINER_EXIT.corruptCheckpoint,
  ],
  // Whoever frees space finds training going on, also where nobody sits at a screen.
  patientExitCodes: [TRAINER_EXIT.disk],
};

/** The embedded trainer: JSON lines on stdin and stdout, files in its run directory. */
export function embeddedTrainerProgram(options: {
  /** the bundled program file */
  readonly script: string;
  readonly runDir: string;
  readonly restart?: RestartPolicy;
}): SupervisedProgram<'trainer'> {
  return {
    name: 'trainer',
    command: async () => scriptCommand(options.script, ['--run-dir', options.runDir, '--exit-on-stdin-eof']),
    readyLine: (stream, line) => (stream === 'stdout' && isMessage(line, 'ready') ? '' : null),
    isHeartbeat: (stream, line) => stream === 'stdout' && isMessage(line, 'heartbeat'),
    readyDeadlineMs: 120_000,
    // End of stdin means: finish the batch in hand, save, exit 20.
    politeStop: 'close-stdin',
    graceMs: 6000,
    restart: options.restart ?? TRAINER_RESTART_POLICY,
    explain: explainTrainerExit,
  };
}

function isMessage(line: string, type: 'ready' | 'heartbeat'): boolean {
  // Most lines are something else; only those that could be it are parsed.
  if (!line.includes(`"${type}"`)) return false;
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'type' in message && message.type === type;
  } catch {
    return false;
  }
}

const MEANING: Readonly<Record<number, string>> = {
  [TRAINER_EXIT.badConfig]: 'its run settings are not valid; change them in Settings',
  [TRAINER_EXIT.environment]: 'its libraries could not be loaded',
  [TRAINER_EXIT.modelLoad]: 'the model could not be loaded; check the model folder',
  [TRAINER_EXIT.outOfMemory]: 'there was not enough memory; choose a smaller batch',
  [TRAINER_EXIT.divergence]: 'training diverged; lower the learning rate',
  [TRAINER_EXIT.disk]: 'it could not write to the disk; free some space',
  [TRAINER_EXIT.schemaMismatch]: 'its files are of another schema',
  [TRAINER_EXIT.corruptCheckpoint]: 'its checkpoints are damaged',
  [TRAINER_EXIT.stopped]: 'it was asked to stop and saved its state',
};

function explainTrainerExit(exit: ProcessExit): string {
  if (exit.signal !== null) return `The trainer was ended by ${exit.signal}.`;
  const meaning = exit.code === null ? undefined : MEANING[exit.code];
  return `The trainer ended with exit code ${exit.code}${meaning === undefined ? '' : `: ${meaning}`}.`;
}
