import { TRAINER_EXIT } from '../../shared/wire/trainer';

/** Not in the contract's list: an exit the supervisor counts as a crash, after which it tries again and in the end skips. */
export const CRASH_EXIT = 1;

export interface FailureOptions {
  readonly exitCode: number;
  /** short and stable, for the `error` message */
  readonly code: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** Why the trainer must end: becomes an `error` message with one sentence for a person, then the exit code. */
export class TrainerFailure extends Error {
  override readonly name = 'TrainerFailure';
  readonly exitCode: number;
  readonly code: string;
  readonly retryable: boolean;

  constructor(message: string, { exitCode, code, retryable = false, cause }: FailureOptions) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.retryable = retryable;
  }
}

const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOTDIR', 'EMFILE', 'EFBIG']);

/** Names what was thrown: our own failures as they are, memory and disk trouble by their marks, the rest as a crash. */
export function asFailure(thrown: unknown): TrainerFailure {
  if (thrown instanceof TrainerFailure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const errno = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (DISK_ERRORS.has(errno)) {
    const text = `The run directory cannot be written: ${message}. Free some space or fix its permissions.`;
    return new TrainerFailure(text, { exitCode: TRAINER_EXIT.disk, code: 'disk', retryable: true, cause: thrown });
  }
  if (thrown instanceof RangeError && /memory|allocation|buffer length/i.test(message)) {
    const text = `Out of memory while training: ${message}. Shorter answers or a smaller batch need less.`;
    return new TrainerFailure(text, { exitCode: TRAINER_EXIT.outOfMemory, code: 'out_of_memory', cause: thrown });
  }
  return new TrainerFailure(message, { exitCode: CRASH_EXIT, code: 'crash', retryable: true, cause: thrown });
}
