import { sha256Hex } from '../platform/durable-files';

const MAX_NAME_LENGTH = 120;
/** Windows gives these names to devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * File name of a task's dump, without extension: readable where the task id is harmless, and never able to leave its folder.
 *
 * A plain id (letters, digits, `.`, `_`, `-`, no leading dot, all lower case, not reserved, not long) is its own name.
 * Any other has its odd characters replaced and a hash of the whole id added, so that two ids never share a file, not
 * even where the file system ignores case.
 */
export function taskFileName(taskId: string): string {
  const isPlain = /^[a-z0-9_-][a-z0-9._-]*$/.test(taskId) && taskId.length <= MAX_NAME_LENGTH && !taskId.endsWith('.');
  const stem = taskId.split('.')[0] ?? '';
  // A plain id that looks like one of our hashed names must not collide with it.
  if (isPlain && !RESERVED.test(stem) && !/~[0-9a-f]{12}$/.test(taskId)) return taskId;
  const readable = taskId.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60);
  return `${readable === '' || RESERVED.test(readable) ? 'task' : readable}~${hash(taskId)}`;
}

const hash = (text: string): string => sha256Hex(new TextEncoder().encode(text)).slice(0, 12);
