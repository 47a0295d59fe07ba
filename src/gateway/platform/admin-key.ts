import { errorText } from './logger';
import { ensurePrivateFile, ensurePrivateFolder, joinPath, readTextIfPresent, writePrivateFile } from './private-files';
import { type RandomSource, randomUrlSafe } from './random';

/** The admin key's file cannot be used; `advice` says what to do about it. */
export class AdminKeyError extends Error {
  override readonly name = 'AdminKeyError';

  constructor(
    message: string,
    readonly advice: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** What fits into a header: visible ASCII, and enough of it. */
const USABLE_KEY = /^[\x21-\x7e]{16,512}$/;

/**
 * Reads the data folder's admin key, or makes one in a file that only its owner can read.
 *
 * @throws AdminKeyError when the file is there and cannot be read, holds no usable key, or cannot be kept private or written
 */
export function loadAdminKey(dataDir: string, random: RandomSource): string {
  const path = joinPath(dataDir, 'admin-key');
  writing(path, () => ensurePrivateFolder(dataDir));
  const known = readKey(path);
  if (known !== null && known !== '') {
    if (!USABLE_KEY.test(known))
      throw new AdminKeyError(
        `${path} holds no usable key: it must be one line of 16 to 512 visible ASCII characters without spaces.`,
        'Delete the file, so that a new key is made at the next start.',
      );
    writing(path, () => ensurePrivateFile(path));
    return known;
  }
  const key = `plaudit-admin-${randomUrlSafe(random, 32)}`;
  writing(path, () => writePrivateFile(path, `${key}\n`));
  return key;
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const advice =
      'Free some space, or give this user access to the folder; the volume must not be full or mounted read-only.';
    throw new AdminKeyError(`The admin key ${path} cannot be written: ${errorText(error)}.`, advice, { cause: error });
  }
}

function readKey(path: string): string | null {
  try {
    return readTextIfPresent(path);
  } catch (error) {
    const advice = 'Move away what is in its place, or make it readable for this user.';
    throw new AdminKeyError(`The admin key ${path} cannot be read: ${errorText(error)}.`, advice, { cause: error });
  }
}
