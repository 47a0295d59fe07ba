import type { Trouble } from '../../shared/wire/rl';
import type { Database } from '../store/database';
import { type Recovery, readRecovery } from '../store/recovery';

/** The line that says what a damaged database cost, until somebody takes note of it with `DELETE /rl/recovery`. */
export function recoveryTrouble(database: Database): Trouble | null {
  const recovery = readRecovery(database);
  return recovery === null ? null : { kind: 'database-recovered', ...sentences(recovery) };
}

function sentences({
  backup,
  saved,
  holes,
  doubtful,
  placeholders = 0,
}: Recovery): Pick<Trouble, 'message' | 'advice'> {
  const lost =
    holes.length === 0 ? 'Every row could be read.' : `Parts of these tables could not be read: ${holes.join(', ')}.`;
  const doubt =
    doubtful === 0
      ? ''
      : ` ${doubtful} ratings are left out of training, because nobody can tell whether they were trained before.`;
  const standIns =
    placeholders === 0
      ? ''
      : ` Of ${placeholders} lost sessions the answers and ratings were kept; they are listed under the task "recovered".`;
  return {
    message: `The database was damaged. Saved were ${saved.sessions ?? 0} sessions, ${saved.interactions ?? 0} answers and ${saved.rewards ?? 0} ratings. ${lost}${standIns}${doubt}`,
    advice: `The damaged file is kept as ${backup}. If you have a newer backup, stop, put it in place of the database, and start again. Check the disk.`,
  };
}

/** The line that says why nothing can be stored now; it goes away with the first write that works. */
export function storeTrouble({ failure }: Database): Trouble | null {
  if (failure === null) return null;
  const kind = failure.kind === 'disk-full' ? 'disk-full' : 'database-failed';
  return { kind, message: failure.message, advice: failure.advice };
}
