import { err, ok, type Result } from '../../shared/lib/result';
import type { TrajectoryFile } from '../../shared/wire/trajectory-files';
import type { Clock } from '../platform/clock';
import type { LineFiles } from '../platform/line-files';
import { DumpSource } from './dump-source';
import { parseRecord } from './parse-record';

const LIVE_ID = 'live';
const MAX_OPEN = 20;
const FIRST_VIEW_MS = 300;

/** The dumps that are open for reading: the live one, and those a person chose. Paths come in by `open` only. */
export class DumpLibrary {
  readonly #sources = new Map<string, DumpSource>();
  #lastId = 0;

  constructor(
    private readonly disk: LineFiles,
    private readonly clock: Clock,
    liveDir: string,
  ) {
    this.#sources.set(LIVE_ID, new DumpSource(LIVE_ID, 'live', liveDir, disk));
  }

  find(id: string): DumpSource | null {
    return this.#sources.get(id) ?? null;
  }

  /** The live dump first, then what was opened, newest first. */
  list(): DumpSource[] {
    const [live, ...opened] = this.#sources.values();
    return live === undefined ? [] : [live, ...opened.reverse()];
  }

  /** Opens a file or folder that a person chose; the same path again gives the same source. */
  async open(path: string): Promise<Result<TrajectoryFile, string>> {
    const kind = await this.disk.kindOf(path);
    const refusal = await this.#refuse(path, kind);
    if (refusal !== null) return err(refusal);
    const existing = [...this.#sources.values()].find((source) => source.path === path);
    const source = existing ?? new DumpSource(this.#nextId(), kind === 'folder' ? 'folder' : 'file', path, this.disk);
    this.#sources.set(source.id, source);
    this.#closeOldest();
    // A large dump is shown while it is still being indexed.
    await Promise.race([source.refresh(), this.clock.sleep(FIRST_VIEW_MS)]);
    return ok(source.view());
  }

  #nextId(): string {
    this.#lastId += 1;
    return `d${this.#lastId}`;
  }

  #closeOldest(): void {
    const opened = [...this.#sources.keys()].filter((id) => id !== LIVE_ID);
    for (const id of opened.slice(0, Math.max(0, opened.length - MAX_OPEN))) this.#sources.delete(id);
  }

  async #refuse(path: string, kind: Awaited<ReturnType<LineFiles['kindOf']>>): Promise<string | null> {
    switch (kind) {
      case 'missing':
        return `${path} does not exist.`;
      case 'denied':
        return `${path} may not be read. Change its permissions, or copy it somewhere you may read.`;
      case 'other':
        return `${path} is neither a file nor a folder.`;
      case 'folder':
        return (await this.disk.list(path)).length > 0
          ? null
          : `${path} holds no .jsonl file. Choose the folder of an experiment, a trial or a rollout.`;
      case 'file':
        return this.#refuseFile(path);
    }
  }

  /** Looks at the first lines only: one good record is enough, bad lines among good ones are shown as rows. */
  async #refuseFile(path: string): Promise<string | null> {
    const head = await this.disk.readRange(path, 0, 256 * 1024);
    if (head.length === 0) return `${path} is empty.`;
    if (head.includes(0)) return `${path} is a binary file, not a JSONL dump.`;
    const lines = new TextDecoder().decode(head).split('\n').slice(0, 50);
    const isLong = lines.length === 1 && head.length === 256 * 1024;
    if (isLong || lines.some((line) => parseRecord(line).ok)) return null;
    const first = parseRecord(lines[0] ?? '');
    return `${path} is not a rollout dump. ${first.ok ? '' : first.error}`;
  }
}
