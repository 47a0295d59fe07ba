import type { ChatMessage } from '../../shared/domain/interaction';

/** A text that is equal iff the messages are deeply equal; the order of an object's keys does not matter. */
export function inputKey(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages, (_key, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
