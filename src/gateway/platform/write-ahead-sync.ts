import { close, existsSync, fdatasync, openSync } from 'node:fs';

/**
 * Brings a write-ahead log to the disk without stopping the event loop.
 *
 * Calls that come while a sync runs share the next one, so that any number of commits costs one wait.
 */
export class WriteAheadSync {
  #file: number | null = null;
  #isDirty = false;
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failure: Error | null = null;

  /** @param path - of the log; it need not exist before the first commit */
  constructor(private readonly path: string) {}

  /** Something was written to the log. */
  noteWrite(): void {
    this.#isDirty = true;
  }

  /**
   * Resolves when everything written before this call is on disk.
   *
   * @throws the system's error; then for ever, because after a failed sync nobody knows what the disk holds
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
    this.#file ??= openSync(this.path, 'r+');
    const file = this.#file;
    try {
      await new Promise<void>((resolve, reject) =>
        fdatasync(file, (error) => (error === null ? resolve() : reject(error))),
      );
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw this.#failure;
    }
  }
}
