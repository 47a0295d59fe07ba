import { ensurePrivateFile, ensurePrivateFolder, joinPath, readTextIfPresent, writePrivateFile } from './private-files';
import { type RandomSource, randomUrlSafe } from './random';

/** Reads the data folder's admin key, or makes one in a file that only its owner can read. */
export function loadAdminKey(dataDir: string, random: RandomSource): string {
  ensurePrivateFolder(dataDir);
  const path = joinPath(dataDir, 'admin-key');
  const known = readTextIfPresent(path);
  if (known !== null && known !== '') {
    ensurePrivateFile(path);
    return known;
  }
  const key = `plaudit-admin-${randomUrlSafe(random, 32)}`;
  writePrivateFile(path, `${key}\n`);
  return key;
}
