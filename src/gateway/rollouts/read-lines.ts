import { err } from '../../shared/lib/result';
import type { LineFiles } from '../platform/line-files';
import { lineBeginning, type ParsedLine, parseLine } from './parse-record';

const MIB = 1024 * 1024;
/**
 * The longest line that is read, about a million tokens with their log-probs. A longer one is a bad line: parsed, a line
 * can take fifty times its size, and nothing else is answered meanwhile.
 */
export const MAX_LINE_BYTES = 32 * MIB;
/** Short neighbours are read in one go up to this; a longer line is read alone. */
const RUN_BYTES = 4 * MIB;
const RUN_LINES = 100;
const SKIPPED_BYTES = 64 * 1024;
/** Bytes that the beginning of a line too long to be read is taken from. */
const BEGINNING_BYTES = 1024;

/** The file got shorter since the line was found. */
const GONE: ParsedLine = { parsed: err('The line is gone.') };

/** Where one line lies; its line end is not part of it. */
export interface LineRange {
  readonly file: { readonly path: string };
  readonly start: number;
  readonly end: number;
}

/**
 * The lines at these places, one after the other.
 *
 * No more than one of them is held parsed at a time: who keeps a line whole, keeps the memory. A line that cannot be
 * read spoils no other.
 */
export async function* readLines(disk: LineFiles, places: readonly LineRange[]): AsyncGenerator<ParsedLine, void> {
  for (let k = 0; k < places.length; ) {
    const run = runFrom(places, k);
    yield* readRun(disk, run);
    k += run.length;
  }
}

/** Neighbours in one file; always at least one. */
function runFrom(places: readonly LineRange[], from: number): readonly LineRange[] {
  const first = places[from] as LineRange; // the caller is not at the end
  let next = from + 1;
  for (; next < places.length && next - from < RUN_LINES; next += 1) {
    const place = places[next] as LineRange; // next < length
    const isNear = areNear(places[next - 1] as LineRange, place); // from < next
    if (place.file !== first.file || !isNear || place.end - first.start > RUN_BYTES) break;
  }
  return places.slice(from, next);
}

/** Bad lines may lie far apart: what is between them is not read along. */
const areNear = (a: LineRange, b: LineRange): boolean => b.start >= a.end && b.start - a.end <= SKIPPED_BYTES;

async function* readRun(disk: LineFiles, run: readonly LineRange[]): AsyncGenerator<ParsedLine, void> {
  const [first, last] = [run[0] as LineRange, run[run.length - 1] as LineRange]; // no run is empty
  if (last.end - first.start > MAX_LINE_BYTES) return yield await tooLong(disk, first);
  let bytes: Uint8Array;
  try {
    bytes = await disk.readRange(first.file.path, first.start, last.end);
  } catch (error) {
    if (run.length === 1) return yield unreadable(first, error);
    for (const place of run) yield* readRun(disk, [place]);
    return;
  }
  for (const place of run) {
    const [start, end] = [place.start - first.start, place.end - first.start];
    yield end > bytes.length ? GONE : parsed(place, bytes.subarray(start, end));
  }
}

function parsed(place: LineRange, bytes: Uint8Array): ParsedLine {
  try {
    return parseLine(new TextDecoder().decode(bytes));
  } catch (error) {
    return unreadable(place, error);
  }
}

async function tooLong(disk: LineFiles, { file, start, end }: LineRange): Promise<ParsedLine> {
  const error = `The line is ${end - start} bytes long; at most ${MAX_LINE_BYTES} are read. Leave its longest fields out, or look at it outside of this program.`;
  const bytes = await disk.readRange(file.path, start, start + BEGINNING_BYTES).catch(() => new Uint8Array());
  return { parsed: err(error), beginning: lineBeginning(new TextDecoder().decode(bytes)) };
}

function unreadable({ file }: LineRange, error: unknown): ParsedLine {
  const reason = error instanceof Error ? error.message : String(error);
  return { parsed: err(`${file.path} cannot be read any more: ${reason}`) };
}
