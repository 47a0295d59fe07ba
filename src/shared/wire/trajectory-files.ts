import { z } from 'zod';
import { trajectoryRecordSchema } from './trajectory-record';

/** Fields that say the same in every good line; null: no line has the field. A field that differs is absent. */
const commonFieldsSchema = z.object({
  task_id: z.union([z.number().int(), z.string()]).optional(),
  sample_idx: z.number().int().optional(),
  turn: z.number().int().nullable().optional(),
  finish_reason: z.string().nullable().optional(),
});
export type CommonFields = z.infer<typeof commonFieldsSchema>;

/** A dump opened for reading: one JSONL file, or a folder of them. `id` is opaque; the path is only for people. */
export const trajectoryFileSchema = z.object({
  id: z.string(),
  kind: z.enum(['live', 'folder', 'file']),
  path: z.string(),
  files: z.number().int(),
  /** lines, the bad ones among them */
  records: z.number().int(),
  bad_lines: z.number().int(),
  size_bytes: z.number().int(),
  /** false while lines are still being found; records then grows */
  indexed: z.boolean(),
  /**
   * Present once every line was read, as statistics do; `bad_lines` is their whole number then. Lines that came since are
   * in neither until statistics are read again.
   */
  common: commonFieldsSchema.optional(),
});
export type TrajectoryFile = z.infer<typeof trajectoryFileSchema>;
/** `GET /rl/trajectory_files` (admin). */
export const trajectoryFilesSchema = z.object({ files: z.array(trajectoryFileSchema) });

/** One row: a record, or the error of a bad line, with where it stands. */
export const trajectoryRowSchema = z.object({
  index: z.number().int(),
  /** path within the opened folder, or the file's name */
  file: z.string(),
  line: z.number().int(),
  record: trajectoryRecordSchema.nullable(),
  error: z.string().nullable(),
  /** only of a bad line: its first characters, control characters as pictures */
  beginning: z.string().optional(),
  /** only in a summary, of a good line: how the last user message of the prompt and the completion begin, on one line each */
  excerpt: z.object({ question: z.string(), answer: z.string() }).optional(),
});
export type TrajectoryRow = z.infer<typeof trajectoryRowSchema>;
/**
 * `GET /rl/trajectory_files/{id}/records?offset=&limit=&summary=1` (admin); `summary` leaves out texts and token arrays.
 * With `bad=1` the bad lines alone: offset, limit and total count among them, a row's index stays its place among all.
 */
export const trajectoryRowsSchema = z.object({ total: z.number().int(), rows: z.array(trajectoryRowSchema) });
