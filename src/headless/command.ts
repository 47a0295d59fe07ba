/** One subcommand of `plaudit`; `serve`, and later `run`, `stats`, `check`, `export`. */
export interface Command {
  readonly name: string;
  /** one line for `plaudit --help` */
  readonly summary: string;
  /** Resolves with the exit code when the command is done; rejects with a UsageError for arguments it cannot take. */
  run(args: readonly string[]): Promise<number>;
}

/** The arguments are not understood; the message says which and why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
