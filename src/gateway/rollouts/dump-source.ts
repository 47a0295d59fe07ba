import type { TrajectoryFile, TrajectoryRow } from '../../shared/wire/trajectory-files';
import type { TrajectoryFacts } from '../groups/group-statistics';
import type { LineFiles } from '../platform/line-files';
import { DumpCensus, versionOfFolder } from './dump-census';
import { FileMemory } from './file-memory';
import { type ParsedLine, summarise } from './parse-record';
import { readLines } from './read-lines';
import { recordExcerpt } from './record-excerpt';

const SCAN_BYTES = 8 * 1024 * 1024;
/** A page of whole records ends here; its first row is there however long it is. */
const PAGE_BYTES = 32 * 1024 * 1024;

interface SourceFile {
  readonly name: string;
  readonly path: string;
  readonly memory: FileMemory;
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
  #census = new DumpCensus();
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
    // A live dump grows: what is known of it is not taken back while its newest lines are being counted.
    const isCounted = this.#census.wasWhole || this.#places.length === 0;
    return {
      id: this.id,
      kind: this.kind,
      path: this.path,
      files: this.#files.length,
      records: this.#places.length,
      bad_lines: this.#census.badRows.length,
      size_bytes: this.#files.reduce((sum, file) => sum + file.sizeBytes, 0),
      indexed: this.#isIndexed && this.#indexing === null,
      ...(isCounted ? { common: this.#census.common } : {}),
    };
  }

  /** Rows by number; fewer at the end, and where they are so long that a page of them would be too large. */
  async rows(offset: number, limit: number, isSummary: boolean): Promise<TrajectoryRow[]> {
    const files = new Set(this.#places.slice(offset, offset + limit).map(({ file }) => file));
    if (this.#indexing === null && (await wasAnyRewritten(files))) await this.refresh();
    const end = Math.min(offset + limit, this.#places.length);
    const numbers = Array.from({ length: Math.max(end - offset, 0) }, (_, k) => offset + k);
    return this.#rowsAt(numbers, isSummary);
  }

  /** The bad lines alone, in the order of their rows. To know them, the whole dump is read once. */
  async badRows(offset: number, limit: number): Promise<{ total: number; rows: TrajectoryRow[] }> {
    await this.facts();
    const { badRows } = this.#census;
    return { total: badRows.length, rows: await this.#rowsAt(badRows.slice(offset, offset + limit), true) };
  }

  async #rowsAt(numbers: readonly number[], isSummary: boolean): Promise<TrajectoryRow[]> {
    const places = numbers.map((number) => this.#places[number] as LinePlace); // both callers name known rows only
    const rows: TrajectoryRow[] = [];
    let bytes = 0;
    for await (const line of readLines(this.disk, places)) {
      const k = rows.length;
      const { file, line: lineNumber, start, end } = places[k] as LinePlace; // one line for each place
      const row = rowOf({ index: numbers[k] as number, file: file.name, line: lineNumber }, line, isSummary);
      bytes += isSummary ? JSON.stringify(row.record).length : end - start;
      if (k > 0 && bytes > PAGE_BYTES) break;
      rows.push(row);
    }
    return rows;
  }

  /** What statistics need of every good row; reads the whole dump once and keeps only this of it. */
  async facts(): Promise<readonly TrajectoryFacts[]> {
    await this.refresh();
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    await this.#counting;
    return this.#census.facts;
  }

  async #index(): Promise<void> {
    if (await wasAnyRewritten(this.#files)) this.#forget();
    const known = new Set(this.#files.map(({ name }) => name));
    const names =
      this.kind === 'file'
        ? [this.disk.baseName(this.path)]
        : (await this.disk.list(this.path)).sort(byVersionThenName);
    for (const name of names) {
      if (known.has(name)) continue;
      const path = this.kind === 'file' ? this.path : this.disk.join(this.path, name);
      this.#files.push({
        name,
        path,
        scannedTo: 0,
        sizeBytes: 0,
        lines: 0,
        unfinished: null,
        memory: new FileMemory(this.disk, path),
      });
    }
    for (const file of this.#files) await this.#scan(file);
  }

  #forget(): void {
    this.#files = [];
    this.#places = [];
    this.#census = new DumpCensus();
  }

  /** A file that is gone keeps its last size: its rows stay, each with its error. */
  async #scan(file: SourceFile): Promise<void> {
    const stamp = await file.memory.changed();
    if (stamp === null) return;
    file.sizeBytes = stamp.size;
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
    await file.memory.remember(stamp, file.scannedTo);
  }

  #add(file: SourceFile, start: number, end: number): LinePlace {
    const unfinished = file.unfinished;
    if (unfinished !== null) {
      unfinished.end = end;
      file.unfinished = null;
      // It may have been counted as it was, or be just being counted; it is not what it was.
      this.#census = new DumpCensus();
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

  async #count(): Promise<void> {
    while (this.#census.seen < this.#places.length) {
      const census = this.#census;
      const places = this.#places.slice(census.seen);
      let k = 0;
      for await (const { parsed } of readLines(this.disk, places)) {
        if (census !== this.#census) break; // a file was replaced, or a line went on, meanwhile: count from the start
        census.add(parsed, places[k]?.file.name ?? '');
        k += 1;
      }
    }
    this.#census.wasWhole = true;
  }
}

/** What is known of the lines of such a file is wrong, and every number after it too. */
async function wasAnyRewritten(files: Iterable<SourceFile>): Promise<boolean> {
  for (const { memory } of files) {
    if (await memory.wasRewritten()) return true;
  }
  return false;
}

function rowOf(
  at: Pick<TrajectoryRow, 'index' | 'file' | 'line'>,
  { parsed, beginning = '' }: ParsedLine,
  isSummary: boolean,
): TrajectoryRow {
  if (!parsed.ok) return { ...at, record: null, error: parsed.error, beginning };
  if (!isSummary) return { ...at, record: parsed.value, error: null };
  return { ...at, record: summarise(parsed.value), error: null, excerpt: recordExcerpt(parsed.value) };
}

function byVersionThenName(a: string, b: string): number {
  return (versionOfFolder(a) ?? -1) - (versionOfFolder(b) ?? -1) || a.localeCompare(b, 'en', { numeric: true });
}
