import { errorText } from '../platform/logger';
import { type Refusal, refusal } from '../platform/refusal';
import { DatabaseError } from './database-error';

/** What a caller is told when saving failed: nothing was saved, and what to do. */
export function toStoreRefusal(error: unknown): Refusal {
  if (!(error instanceof DatabaseError)) return refusal('internal', `The gateway failed: ${errorText(error)}.`);
  const kind =
    error.kind === 'disk-full' ? 'disk-full' : error.kind === 'constraint' ? 'internal' : 'store-unavailable';
  return refusal(kind, `${error.message} ${error.advice}`);
}
