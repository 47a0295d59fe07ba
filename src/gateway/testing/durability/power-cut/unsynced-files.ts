import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type DurableFiles, durableFiles as synced } from '../../../platform/durable-files';

export { type DurableFiles, sha256Hex } from '../../../platform/durable-files';

/** In the place of those that sync: the same steps, and none of them waits for the disk. */
export const durableFiles: DurableFiles = {
  ...synced,

  async replace(path, bytes) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.tmp`, bytes);
    await rename(`${path}.tmp`, path);
  },

  async publishFolder(path, files) {
    await rm(`${path}.tmp`, { recursive: true, force: true });
    await mkdir(`${path}.tmp`, { recursive: true });
    for (const [name, bytes] of files) await writeFile(join(`${path}.tmp`, basename(name)), bytes);
    await rename(`${path}.tmp`, path);
  },

  async append(path, bytes) {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, bytes);
  },
};
