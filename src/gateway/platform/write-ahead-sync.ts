import { type BigIntStats, close, existsSync, fdatasync, fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs';

/** A disk is quick when so many syncs in a row took a thread and back no longer than this. */
const QUICK = { syncs: 3, ms: 1 };
/** A sync in place that takes longer is the last one for now: everybody waited for it. */
const MOST_IN_PLACE_MS = 2;

/**
 * Brings a write-ahead log to the disk.
 *
 * A slow disk is waited for beside the event loop, and calls that come meanwhile share the next sync, so that any number
 * of commits costs one wait. A quick one is waited for in place: handing the call to a thread and being woken again
 * takes longer than the disk does.
 */
export class WriteAheadSync {
  #file: number | null = null;
  #identity = '';
  #isDirty = false;
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failure: Error | null = null;
  #quickSyncs = 0;

  /**
   * @param path - of the log; when it is there already, it is watched from now on
   * @param now - milliseconds of a clock that never goes back
   */
  constructor(
    private readonly path: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    if (existsSync(path)) this.#open();
  }

  /** Something was written to the log. */
  noteWrite(): void {
    this.#isDirty = true;
  }

  /**
   * Resolves when everything written before this call is on disk.
   *
   * @throws the system's error, or that the log was removed; then for ever, because after a failed sync nobody knows what
   * the disk holds
   */
  flush(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (!this.#isDirty) return this.#next ?? this.#current ?? Promise.resolve();
    if (this.#current === null) return this.#begin();
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  close(): void {
    if (this.#file !== null) close(this.#file, () => undefined);
    this.#file = null;
  }

  #begin(): Promise<void> {
    this.#next = null;
    // It may have failed since this flush was asked for.
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#isDirty = false;
    const work = this.#sync().finally(() => {
      if (this.#current === work) this.#current = null;
    });
    this.#current = work;
    return work;
  }

  async #sync(): Promise<void> {
    // A journal that is gone was folded into the database, which SQLite syncs itself.
    if (this.#file === null && !existsSync(this.path)) return;
    const file = this.#file ?? this.#open();
    const startedAt = this.now();
    try {
      if (this.#quickSyncs >= QUICK.syncs) {
        fdatasyncSync(file);
        if (this.now() - startedAt > MOST_IN_PLACE_MS) this.#quickSyncs = 0;
      } else {
        await syncBeside(file);
        this.#quickSyncs = this.now() - startedAt <= QUICK.ms ? this.#quickSyncs + 1 : 0;
      }
      this.#checkPath();
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw this.#failure;
    }
  }

  #open(): number {
    const file = openSync(this.path, 'r+');
    this.#identity = identityOf(fstatSync(file, { bigint: true }));
    this.#file = file;
    return file;
  }

  /** A log without its name takes every write and sync, and is gone with the process. */
  #checkPath(): void {
    if (this.#file === null) return; // closed meanwhile, which folds the log in
    const now = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (now !== undefined && identityOf(now) === this.#identity) return;
    throw new Error(
      `another program has removed or replaced ${this.path} while it was in use; close in the ordinary way, which still saves what it held`,
    );
  }
}

function syncBeside(file: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(file, (error) => (error === null ? resolve() : reject(error))));
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}/${ino}`;
}
