import { z } from 'zod';
import { keepAsBad, readJson, writeJson } from './atomic-json';

const draftsSchema = z.record(z.string(), z.string());

/** More than this is a mistake of the page; the oldest goes. */
const MAX_DRAFTS = 2000;

/** What a person typed but has not sent; on disk before the write is answered. */
export class DraftsFile {
  readonly #drafts: Map<string, string>;

  constructor(private readonly path: string) {
    const read = readJson(path);
    const parsed = read.kind === 'value' ? draftsSchema.safeParse(read.value) : null;
    if (read.kind !== 'absent' && parsed?.success !== true) keepAsBad(path);
    this.#drafts = new Map(Object.entries(parsed?.data ?? {}));
  }

  all(): Record<string, string> {
    return Object.fromEntries(this.#drafts);
  }

  /** An empty text removes the draft. */
  write(key: string, text: string): void {
    this.#drafts.delete(key);
    if (text !== '') this.#drafts.set(key, text);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= MAX_DRAFTS) break;
      this.#drafts.delete(oldest);
    }
    writeJson(this.path, this.all());
  }
}
