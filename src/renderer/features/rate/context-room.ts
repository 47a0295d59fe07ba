import { historyOf, lastAnswered, openSession, type Place } from './ask';
import type { LiveAnswer } from './live-store';

/** What is left of the model's context for the next message and its answer. */
export interface ContextRoom {
  readonly total: number;
  readonly left: number;
  /** less than a third is left: a person should know */
  readonly isLow: boolean;
  /** not even a message and an answer of one token each fit */
  readonly isFull: boolean;
  /** what the next request repeats, and the key of its session */
  readonly history: LiveAnswer['messages'];
  readonly sessionKey: string;
}

/** Null where the next message starts from an empty context, or the gateway has not counted the last answer yet. */
export function readContextRoom(place: Place, selected: string | null, total: number | null): ContextRoom | null {
  const open = openSession(place);
  if (open === null || total === null || open.where.sessionKey === null) return null;
  const last = lastAnswered(open.block, selected);
  if (last === null || last.answer.promptTokens === 0) return null;
  const left = Math.max(total - last.answer.promptTokens - last.answer.completionTokens, 0);
  return {
    total,
    left,
    isLow: left < total / 3,
    isFull: left < 2,
    history: historyOf(open.block, selected),
    sessionKey: open.where.sessionKey,
  };
}

/** Whether the message must be counted before it is sent. A token is seldom shorter than a byte. */
export const mayNotFit = ({ isLow, left }: ContextRoom, message: string): boolean =>
  isLow || new TextEncoder().encode(message).length > left / 2;
