import { err, ok, type Result } from '../../shared/lib/result';
import { type TrajectoryRecord, trajectoryRecordSchema } from '../../shared/wire/trajectory-record';
import { nullPythonConstants } from './python-constants';

/**
 * One line of a dump.
 *
 * Python writes bare `NaN` and `Infinity`, which JSON does not know: they read as null. Everything else that is not a
 * record is refused with what is wrong with it.
 */
export function parseRecord(line: string): Result<TrajectoryRecord, string> {
  const json = parseTolerantJson(line);
  if (!json.ok) return json;
  const record = trajectoryRecordSchema.safeParse(json.value);
  if (record.success) {
    const deep = Object.entries(record.data).find(([, value]) => isDeeperThan(MOST_LEVELS, value));
    return deep === undefined
      ? ok(record.data)
      : err(`Not a trajectory record: ${deep[0]}: nested more than ${MOST_LEVELS} levels deep.`);
  }
  const issue = record.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  return err(
    field === ''
      ? 'Not a trajectory record: an object was expected.'
      : `Not a trajectory record: ${field}: ${issue?.message}.`,
  );
}

/** Fields of others may hold anything; what is nested deeper cannot be written out again, and would spoil its page. */
const MOST_LEVELS = 200;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(levels - 1, item));
}

/** A line that was read: its record, or what is wrong with it and how it begins. */
export interface ParsedLine {
  readonly parsed: Result<TrajectoryRecord, string>;
  /** of a bad line */
  readonly beginning?: string;
}

/** {@link parseRecord}, with the beginning of a line that is refused: enough to know it again in its file. */
export function parseLine(line: string): ParsedLine {
  const parsed = parseRecord(line);
  return parsed.ok ? { parsed } : { parsed, beginning: lineBeginning(line) };
}

const BEGINNING_CHARACTERS = 240;

/** The first characters of a line. */
export function lineBeginning(line: string): string {
  const characters = [...line.slice(0, 2 * BEGINNING_CHARACTERS + 2)];
  const isCut = characters.length > BEGINNING_CHARACTERS;
  return showControls(`${characters.slice(0, BEGINNING_CHARACTERS).join('')}${isCut ? '…' : ''}`);
}

/** Control characters as their pictures, as Unicode names them: a NUL or a tab is often what is wrong with a line. */
function showControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be seen
  return text.replace(/[\u0000-\u001f\u007f]/g, (character) => {
    const code = character.charCodeAt(0);
    return code === 0x7f ? '␡' : String.fromCharCode(0x2400 + code);
  });
}

/** Fields that only the detail of a row needs; a page of a table leaves them out. */
export function summarise(record: TrajectoryRecord): TrajectoryRecord {
  const { segments, input_ids, logprobs, loss_mask, output_token_texts, ...small } = record;
  return { ...small, prompt: '', completion: '' };
}

function parseTolerantJson(line: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(line));
  } catch (error) {
    const patched = nullPythonConstants(line);
    try {
      return ok(JSON.parse(patched));
    } catch {
      return err(`Not JSON: ${showControls(error instanceof Error ? error.message : String(error))}`);
    }
  }
}
