import { existsSync, mkdirSync, statSync } from 'node:fs';
import { appendFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_WAITING_CHARACTERS = 1_000_000;

/**
 * A log file that is rotated by size: `x.log`, then `x.log.1`, `x.log.2`, … oldest last.
 *
 * Lines are written behind the caller's back and in order. A full disk loses log lines, never the child that wrote them.
 */
export class LogFile {
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #dropped = 0;
  #sizeBytes: number;
  #writing: Promise<void> | null = null;

  constructor(
    readonly path: string,
    private readonly maxBytes: number = 5 * 1024 * 1024,
    private readonly keep: number = 3,
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#sizeBytes = existsSync(path) ? statSync(path).size : 0;
  }

  append(line: string): void {
    if (this.#waitingCharacters + line.length > MAX_WAITING_CHARACTERS) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(`${line}\n`);
    this.#waitingCharacters += line.length + 1;
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when everything appended so far is written. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // lines of one burst go out as one write
    while (this.#waiting.length > 0) {
      if (this.#dropped > 0) this.#waiting.push(`… ${this.#dropped} lines were not logged: too fast\n`);
      const text = this.#waiting.join('');
      this.#waiting = [];
      this.#waitingCharacters = 0;
      this.#dropped = 0;
      try {
        if (this.#sizeBytes >= this.maxBytes) await this.#rotate();
        await appendFile(this.path, text, { mode: 0o600 });
        this.#sizeBytes += Buffer.byteLength(text);
      } catch {
        // The disk is full or the folder is gone: the last lines are still in memory, and the child goes on.
      }
    }
  }

  async #rotate(): Promise<void> {
    await rm(`${this.path}.${this.keep}`, { force: true });
    for (let number = this.keep - 1; number >= 1; number -= 1) {
      if (existsSync(`${this.path}.${number}`)) await rename(`${this.path}.${number}`, `${this.path}.${number + 1}`);
    }
    await rename(this.path, `${this.path}.1`);
    this.#sizeBytes = 0;
  }
}
