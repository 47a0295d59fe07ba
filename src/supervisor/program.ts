import type { RestartPolicy } from './restart-policy';

/** How one child is started: a file run by this host's own runtime, or a program of its own. */
export interface ProgramCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** added to the host's own environment */
  readonly env?: Readonly<Record<string, string>>;
}

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Everything the supervisor knows about one kind of child. */
export interface SupervisedProgram<Name extends string = string> {
  readonly name: Name;
  /** asked anew before each start, because weights and folders move; a rejection counts as a crash */
  command(): Promise<ProgramCommand>;
  /** ready when a line gives non-null (an address, or an empty text when there is none) and the probe, if any, agrees */
  readyLine(stream: OutputStream, line: string): string | null;
  probe?(address: string, signal: AbortSignal): Promise<boolean>;
  /** a line that says only that the child lives: listeners and the log file get it, the last lines a person reads do not */
  isHeartbeat?(stream: OutputStream, line: string): boolean;
  readonly readyDeadlineMs: number;
  /** how a stop is asked politely; Windows knows only `close-stdin`, so every program understands that too */
  readonly politeStop: 'terminate' | 'close-stdin';
  readonly graceMs: number;
  readonly restart: RestartPolicy;
  /** one sentence for a person: why it ended and what to do */
  explain(exit: ProcessExit, lastLines: readonly string[]): string;
}

/**
 * A JavaScript file run by the runtime that runs us: plain Node, or Electron as Node.
 *
 * No other Node is needed on the machine, and the child's Node is the one that was tested.
 */
export function scriptCommand(
  script: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): ProgramCommand {
  const isElectron = process.versions.electron !== undefined;
  return {
    file: process.execPath,
    args: [...nodeFlags, script, ...args],
    env: isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {},
  };
}
