import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { headSchema, runSettingsSchema } from '../../shared/wire/trainer';
import { isAbsent, makeFolder } from './durable-files';
import { runPaths } from './run-directory';

const entrySchema = z.object({
  batch: z.number().int(),
  sha: z.string().nullable(),
  status: headSchema.shape.status,
  version: z.number().int(),
  incarnation: z.number().int(),
  metrics: z.record(z.string(), z.number().nullable()),
  dropped: headSchema.shape.dropped,
  /** what it was trained with; null = it was not trained, or by a trainer that did not say */
  settings: runSettingsSchema.nullable().default(null),
});
export type HistoryEntry = z.infer<typeof entrySchema>;

/**
 * What became of every batch, one line each in `state/history.jsonl`, to answer repeated offers.
 *
 * A line is written just before HEAD, so the last line of a batch counts, and only up to HEAD's last batch.
 */
export class BatchHistory {
  readonly #path: string;
  readonly #entries: Map<number, HistoryEntry>;

  private constructor(path: string, entries: Map<number, HistoryEntry>) {
    this.#path = path;
    this.#entries = entries;
  }

  static async open(root: string): Promise<BatchHistory> {
    const path = runPaths.history(root);
    const text = await readFile(path, 'utf8').catch((cause) => {
      if (isAbsent(cause)) return '';
      throw cause;
    });
    const entries = new Map<number, HistoryEntry>();
    for (const line of text.split('\n')) {
      const entry = parseLine(line);
      if (entry !== null) entries.set(entry.batch, entry);
    }
    return new BatchHistory(path, entries);
  }

  find(batch: number): HistoryEntry | undefined {
    return this.#entries.get(batch);
  }

  async append(entry: HistoryEntry): Promise<void> {
    await makeFolder(dirname(this.#path));
    const file = await open(this.#path, 'a');
    try {
      // a crash may have left half a line; it must not swallow this one
      await file.writeFile(`\n${JSON.stringify(entry)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#entries.set(entry.batch, entry);
  }
}

/** Half a line is what a crash leaves; it never reached HEAD. */
function parseLine(line: string): HistoryEntry | null {
  if (line === '') return null;
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
