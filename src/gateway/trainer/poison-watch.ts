import type { CrashCounts } from '../store/crash-counts';
import type { TrainerDeath } from './trainer-activity';

/** Crashes of the trainer's own doing after which a batch is taken to be their cause. */
const MAX_CRASHES = 3;
/** Deaths of either kind. More, because a kill from outside is seldom the batch's doing; it is when memory runs out. */
const MAX_DEATHS = 6;

/**
 * Counts a death of the trainer against the batch it had in hand.
 *
 * @returns why the batch is to be set aside, in words for a rater, or null while it may be tried again
 */
export function blameBatch(crashes: CrashCounts, batchId: number, death: TrainerDeath): string | null {
  crashes.add(batchId, death.kind);
  const own = crashes.count(batchId, 'crash');
  const outside = crashes.count(batchId, 'kill');
  if (own < MAX_CRASHES && own + outside < MAX_DEATHS) return null;
  const last = death.error === null ? death.exit : `${death.exit}: ${death.error}`;
  if (outside === 0)
    return `batch ${batchId} made the trainer fail ${own} times and was set aside; nothing of it was trained (${last})`;
  return `the trainer ended ${own + outside} times on batch ${batchId}, ${outside} of them by a signal from outside (a kill, or too little memory), and it was set aside; nothing of it was trained (${last})`;
}
