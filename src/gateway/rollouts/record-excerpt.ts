import type { TrajectoryRow } from '../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../shared/wire/trajectory-record';

/** More than the widest table shows, little enough that a page of rows stays small. */
const MOST_CHARACTERS = 160;

/** How the chat templates in use begin a user's message. */
const USER_MARKS = [
  '<|im_start|>user\n',
  '<|start_header_id|>user<|end_header_id|>',
  '<start_of_turn>user\n',
  '<|user|>',
  '<｜User｜>',
  '[INST]',
];

/** What sets a row off from the others of its conversation: how the last question and the answer to it begin. */
export function recordExcerpt({ prompt, completion }: TrajectoryRecord): NonNullable<TrajectoryRow['excerpt']> {
  return { question: beginning(prompt, lastQuestionAt(prompt)), answer: beginning(completion, 0) };
}

/** Where the last user message begins; 0 for a prompt of no template known here. */
function lastQuestionAt(prompt: string): number {
  const ends = USER_MARKS.map((mark) => {
    const at = prompt.lastIndexOf(mark);
    return at < 0 ? 0 : at + mark.length;
  });
  return Math.max(...ends);
}

const ANY_MARK = /<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|<(?:start|end)_of_turn>|\[\/?INST\]|<\/?s>/;

/** The words up to the next mark of the template, on one line; marks that come before any word are passed over. */
function beginning(text: string, from: number): string {
  // A long text is not searched whole for a mark that ends its beginning.
  const near = text.slice(from, from + 8 * MOST_CHARACTERS);
  const words = near.split(ANY_MARK).find((part) => part.trim() !== '') ?? '';
  const line = words.trim().replace(/\s+/gu, ' ');
  const characters = [...line];
  // Joined anew in both cases: a mere part of a long text would keep all of it in memory.
  return `${characters.slice(0, MOST_CHARACTERS).join('')}${characters.length > MOST_CHARACTERS ? '…' : ''}`;
}
