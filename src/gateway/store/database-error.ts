/** What went wrong with the database file, one word for code to switch on. */
export type DatabaseErrorKind =
  | 'locked'
  | 'disk-full'
  | 'read-only'
  | 'damaged'
  | 'newer-schema'
  | 'constraint'
  | 'unavailable';

/** The database could not do what was asked; `advice` is a sentence for the person at the screen. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly kind: DatabaseErrorKind,
    readonly path: string,
    message: string,
    readonly advice: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Codes that a person can do something about: SQLite's primary ones (https://www.sqlite.org/rescode.html) and the system's. */
const KIND_BY_CODE: readonly (readonly [prefix: string, kind: DatabaseErrorKind])[] = [
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_FULL', 'disk-full'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_PERM', 'read-only'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_CONSTRAINT', 'constraint'],
  // of the folder and the file that are made before SQLite sees them
  ['ENOSPC', 'disk-full'],
  ['EDQUOT', 'disk-full'],
  ['EROFS', 'read-only'],
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
];

/** Turns an exception of the binding into a {@link DatabaseError}; anything else passes through unchanged. */
export function toDatabaseError(error: unknown, path: string): unknown {
  if (error instanceof DatabaseError) return error;
  const code = codeOf(error);
  if (code === null) return error;
  const kind = KIND_BY_CODE.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unavailable';
  const reason = error instanceof Error ? error.message : code;
  return new DatabaseError(kind, path, messageOf(kind, path, reason), adviceOf(kind, path), { cause: error });
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // A failed open carries no code field, only this text.
  return error.message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : null;
}

function messageOf(kind: DatabaseErrorKind, path: string, reason: string): string {
  switch (kind) {
    case 'locked':
      return `The database ${path} is in use by another gateway.`;
    case 'disk-full':
      return `The disk that holds ${path} is full; nothing was saved.`;
    case 'read-only':
      return `The database ${path} cannot be written.`;
    case 'damaged':
      return `The database ${path} is damaged: ${reason}.`;
    default:
      return `The database ${path} refused: ${reason}.`;
  }
}

/** What a person can do about each kind. */
export function adviceOf(kind: DatabaseErrorKind, path: string): string {
  switch (kind) {
    case 'locked':
      return 'Close the other studio or gateway that uses this data folder, or start this one with another data folder.';
    case 'disk-full':
      return 'Free some space and try again; everything that was answered with success before is safe.';
    case 'read-only':
      return 'Check the owner and permissions of the file and its folder, and that the volume is not mounted read-only.';
    case 'damaged':
      return `Copy ${path} and the files beside it that start with the same name to a safe place first. Then put back a backup, or salvage the rows with "sqlite3 ${path} .recover".`;
    case 'newer-schema':
      return 'Start the version of the studio that wrote it, or a later one.';
    case 'constraint':
      return 'Nothing was changed and everything stored before is safe. This is a fault of the program, not of the disk: try again, and report the sentence before this one if it comes back.';
    default:
      return 'Check that the folder exists and that this user may write to it.';
  }
}
