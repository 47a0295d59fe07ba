import type { FileStamp, LineFiles } from '../platform/line-files';

/** Bytes remembered of the beginning and of the end of what was read. */
const EDGE_BYTES = 512;

/**
 * What is remembered of a file between two looks at it, to tell a file that grew from one that was written anew.
 *
 * A dump is only ever appended to. So another inode, a size below what was read, or other bytes at either end of what
 * was read are those of another dump, whose lines lie elsewhere.
 */
export class FileMemory {
  #stamp: FileStamp | null = null;
  #readTo = 0;
  #edges: readonly Uint8Array[] = [];

  constructor(
    private readonly disk: LineFiles,
    private readonly path: string,
  ) {}

  /** Null: the file is gone, or is as it was. */
  async changed(): Promise<FileStamp | null> {
    const stamp = await this.disk.stamp(this.path).catch(() => null);
    const known = this.#stamp;
    if (stamp === null || known === null) return stamp;
    const isSame = stamp.size === known.size && stamp.inode === known.inode && stamp.changedAtMs === known.changedAtMs;
    return isSame ? null : stamp;
  }

  async wasRewritten(): Promise<boolean> {
    const known = this.#stamp;
    const stamp = known === null ? null : await this.changed();
    if (known === null || stamp === null) return false;
    if (stamp.inode !== known.inode || stamp.size < this.#readTo) return true;
    const edges = await this.#read(this.#readTo).catch(() => this.#edges); // it went just now: its rows will say so
    return this.#edges.some((edge, k) => !isEqual(edge, edges[k] ?? new Uint8Array()));
  }

  /** All lines up to here are known, as the file was at the time of this stamp. */
  async remember(stamp: FileStamp, readTo: number): Promise<void> {
    this.#edges = await this.#read(readTo).catch(() => []); // unreadable: size and inode alone must tell
    this.#readTo = readTo;
    this.#stamp = stamp;
  }

  #read(readTo: number): Promise<Uint8Array[]> {
    if (readTo === 0) return Promise.resolve([]);
    return Promise.all([
      this.disk.readRange(this.path, 0, Math.min(EDGE_BYTES, readTo)),
      this.disk.readRange(this.path, Math.max(0, readTo - EDGE_BYTES), readTo),
    ]);
  }
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, k) => byte === b[k]);
