import type { TrajectoryFile, TrajectoryRow } from '../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../shared/wire/trajectory-record';
import type { TrajectoryFacts } from '../groups/group-statistics';
import type { LineFiles } from '../platform/line-files';
import { parseRecord, summarise } from './parse-record';
import { recordExcerpt } from './record-excerpt';

const SCAN_BYTES = 8 * 1024 * 1024;
/** A longer line is shown as an error instead of being read into memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const FACTS_PER_TURN = 100;

interface SourceFile {
  readonly name: string;
  readonly path: string;
  /** byte after the last line end seen */
  scannedTo: number;
  sizeBytes: number;
  lines: number;
  /** the last line, shown although its line end is missing; it may still grow */
  unfinished: LinePlace | null;
}

/** Where one line lies. */
interface LinePlace {
  readonly file: SourceFile;
  readonly line: number;
  readonly start: number;
  end: number;
}

/**
 * An opened dump: one file, or a folder of them.
 *
 * Only the place of each line is kept in memory; lines are read when they are asked for. Rows keep their number for ever:
 * what is appended, or found in new files, comes after everything known before, so a table never jumps.
 */
export class DumpSource {
  #files: SourceFile[] = [];
  #places: LinePlace[] = [];
  #facts: TrajectoryFacts[] = [];
  #factsFrom = 0;
  #badLines = 0;
  #isIndexed = false;
  #indexing: Promise<void> | null = null;
  #counting: Promise<void> | null = null;

  constructor(
    readonly id: string,
    readonly kind: TrajectoryFile['kind'],
    readonly path: string,
    private readonly disk: LineFiles,
  ) {}

  /** Finds new lines; the first call finds all. Rows found so far can be read while it runs. */
  refresh(): Promise<void> {
    this.#indexing ??= this.#index().finally(() => {
      this.#indexing = null;
      this.#isIndexed = true;
    });
    return this.#indexing;
  }

  view(): TrajectoryFile {
    return {
      id: this.id,
      kind: this.kind,
      path: this.path,
      files: this.#files.length,
      records: this.#places.length,
      bad_lines: this.#badLines,
      size_bytes: this.#files.reduce((sum, file) => sum + file.sizeBytes, 0),
      indexed: this.#isIndexed && this.#indexing === null,
    };
  }

  /** Rows by number; fewer at the end. */
  async rows(offset: number, limit: number, isSummary: boolean): Promise<TrajectoryRow[]> {
    const places = this.#places.slice(offset, offset + limit);
    const parsed = await this.#read(places);
    return places.map((place, k) => {
      const result = parsed[k];
      const at = { index: offset + k, file: place.file.name, line: place.line };
      if (result === undefined || !result.ok)
        return { ...at, record: null, error: result?.error ?? 'The line is gone.' };
      if (!isSummary) return { ...at, record: result.value, error: null };
      return { ...at, record: summarise(result.value), error: null, excerpt: recordExcerpt(result.value) };
    });
  }

  /** What statistics need of every good row; reads the whole dump once and keeps only this of it. */
  async facts(): Promise<readonly TrajectoryFacts[]> {
    await this.refresh();
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    await this.#counting;
    return this.#facts;
  }

  async #index(): Promise<void> {
    if (await this.#hasShrunk()) this.#forget();
    const known = new Set(this.#files.map(({ name }) => name));
    const names =
      this.kind === 'file'
        ? [this.disk.baseName(this.path)]
        : (await this.disk.list(this.path)).sort(byVersionThenName);
    for (const name of names) {
      if (known.has(name)) continue;
      const path = this.kind === 'file' ? this.path : this.disk.join(this.path, name);
      this.#files.push({ name, path, scannedTo: 0, sizeBytes: 0, lines: 0, unfinished: null });
    }
    for (const file of this.#files) await this.#scan(file);
  }

  /** A file that got shorter was replaced: what is known of its lines is wrong, and every number after it too. */
  async #hasShrunk(): Promise<boolean> {
    for (const file of this.#files) {
      if ((await this.#sizeOf(file)) < file.scannedTo) return true;
    }
    return false;
  }

  #forget(): void {
    this.#files = [];
    this.#places = [];
    this.#facts = [];
    this.#factsFrom = 0;
    this.#badLines = 0;
  }

  /** A file that is gone keeps its last size: its rows stay, each with its error. */
  #sizeOf(file: SourceFile): Promise<number> {
    return this.disk.size(file.path).catch(() => file.sizeBytes);
  }

  async #scan(file: SourceFile): Promise<void> {
    const size = await this.#sizeOf(file);
    const hasGrown = size > file.sizeBytes;
    file.sizeBytes = size;
    if (!hasGrown) return;
    if (file.unfinished !== null) file.scannedTo = file.unfinished.start;
    let position = file.scannedTo;
    while (position < file.sizeBytes) {
      const scan = await this.disk.scan(
        file.path,
        file.scannedTo,
        Math.max(SCAN_BYTES, position - file.scannedTo + SCAN_BYTES),
      );
      scan.starts.forEach((start, k) => {
        this.#add(file, start, (scan.starts[k + 1] ?? scan.end) - 1);
      });
      position = scan.starts.length > 0 ? scan.end : position + SCAN_BYTES;
      file.scannedTo = scan.end;
    }
    this.#addUnfinishedLine(file);
  }

  #add(file: SourceFile, start: number, end: number): LinePlace {
    const unfinished = file.unfinished;
    if (unfinished !== null) {
      unfinished.end = end;
      file.unfinished = null;
      return unfinished;
    }
    file.lines += 1;
    const place = { file, line: file.lines, start, end };
    this.#places.push(place);
    return place;
  }

  /** A file whose writer forgot the last line end, or was stopped there; a live dump always ends its lines. */
  #addUnfinishedLine(file: SourceFile): void {
    if (this.kind === 'live' || file.scannedTo >= file.sizeBytes) return;
    file.unfinished = this.#add(file, file.scannedTo, file.sizeBytes);
    file.scannedTo = file.sizeBytes;
  }

  /** Neighbours in one file are read in one go. */
  async #read(places: readonly LinePlace[]): Promise<ReturnType<typeof parseRecord>[]> {
    const results: ReturnType<typeof parseRecord>[] = [];
    for (let k = 0; k < places.length; ) {
      const first = places[k] as LinePlace; // k < length
      let last = first;
      let next = k + 1;
      while (
        next < places.length &&
        places[next]?.file === first.file &&
        (places[next]?.end ?? 0) - first.start <= MAX_LINE_BYTES
      ) {
        last = places[next] as LinePlace; // next < length
        next += 1;
      }
      if (last.end - first.start > MAX_LINE_BYTES) {
        results.push({
          ok: false,
          error: `The line is ${last.end - first.start} bytes long; at most ${MAX_LINE_BYTES} are read.`,
        });
      } else results.push(...(await this.#readRun(first, last, places.slice(k, next))));
      k = next;
    }
    return results;
  }

  async #readRun(
    first: LinePlace,
    last: LinePlace,
    places: readonly LinePlace[],
  ): Promise<ReturnType<typeof parseRecord>[]> {
    try {
      const bytes = await this.disk.readRange(first.file.path, first.start, last.end);
      const decoder = new TextDecoder();
      return places.map(({ start, end }) =>
        parseRecord(decoder.decode(bytes.subarray(start - first.start, end - first.start))),
      );
    } catch (error) {
      const message = `${first.file.path} cannot be read any more: ${error instanceof Error ? error.message : String(error)}`;
      return places.map(() => ({ ok: false, error: message }));
    }
  }

  async #count(): Promise<void> {
    while (this.#factsFrom < this.#places.length) {
      const known = this.#places;
      const places = known.slice(this.#factsFrom, this.#factsFrom + FACTS_PER_TURN);
      const parsed = await this.#read(places);
      if (known !== this.#places) continue; // a file was replaced meanwhile: count from the start
      parsed.forEach((result, k) => {
        if (result.ok) this.#facts.push(factsOf(result.value, places[k]?.file.name ?? ''));
        else this.#badLines += 1;
      });
      this.#factsFrom += places.length;
    }
  }
}

function factsOf(record: TrajectoryRecord, file: string): TrajectoryFacts {
  const isUnknown = record.version_rle === undefined && record.head_version < 0;
  return {
    // AReaL writes one file per task, so there the file is the group.
    groupId: record.group_id ?? file,
    reward: record.reward,
    headVersion: isUnknown ? -1 : record.head_version,
    tailVersion: record.tail_version,
    consumedAtVersion: versionOfFolder(file),
  };
}

/** AReaL's `{rollout|eval-rollout}/{version}/{task}.jsonl`: the version at which the row was handed over. */
function versionOfFolder(file: string): number | null {
  const match = /(?:^|\/)(?:eval-)?rollout\/(\d+)\/[^/]+$/.exec(file);
  return match === null ? null : Number(match[1]);
}

function byVersionThenName(a: string, b: string): number {
  return (versionOfFolder(a) ?? -1) - (versionOfFolder(b) ?? -1) || a.localeCompare(b, 'en', { numeric: true });
}
