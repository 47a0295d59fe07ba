import type { Branded } from '../lib/branded';

/** `<task_id>-<k>`, unique for the life of the database (AReaL reuses k; we never do). */
export type SessionId = Branded<'SessionId'>;
/** `chatcmpl-` + 29 hex digits; the id of the completion the client received. */
export type InteractionId = Branded<'InteractionId'>;
/** Sessions of one task and prompt share it; a lone session's group is its own id. */
export type GroupId = Branded<'GroupId'>;
/** Who judged: free text chosen in settings, never an account. */
export type RaterId = Branded<'RaterId'>;

// Brands exist only in the type system; these are the four places where a plain string earns one.
export const sessionId = (value: string): SessionId => value as SessionId;
export const interactionId = (value: string): InteractionId => value as InteractionId;
export const groupId = (value: string): GroupId => value as GroupId;
export const raterId = (value: string): RaterId => value as RaterId;
