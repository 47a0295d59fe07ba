import { err, ok, type Result } from '../../shared/lib/result';
import { type TrajectoryRecord, trajectoryRecordSchema } from '../../shared/wire/trajectory-record';

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
  if (record.success) return ok(record.data);
  const issue = record.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  return err(
    field === ''
      ? 'Not a trajectory record: an object was expected.'
      : `Not a trajectory record: ${field}: ${issue?.message}.`,
  );
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
    const patched = line.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (match) =>
      match.startsWith('"') ? match : 'null',
    );
    try {
      return ok(JSON.parse(patched));
    } catch {
      return err(`Not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
