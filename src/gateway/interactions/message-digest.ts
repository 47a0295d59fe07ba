import type { ChatMessage } from '../../shared/domain/interaction';
import { canonicalJson } from './canonical-json';

/** Two fingerprints of one message: equal messages have equal ones. */
export interface MessageDigest {
  /** equal for deeply equal messages */
  readonly exact: string;
  /** equal also when only that differs which clients change on the way: see {@link toComparable} */
  readonly lenient: string;
}

/**
 * Fingerprints of a conversation, one per message.
 *
 * Computed once for a list of messages, however often it is asked for: a long history is walked through once per request.
 */
export function digestMessages(messages: readonly ChatMessage[]): readonly MessageDigest[] {
  let known = digests.get(messages);
  if (known === undefined) {
    known = messages.map(digestMessage);
    digests.set(messages, known);
  }
  return known;
}

const digests = new WeakMap<readonly ChatMessage[], readonly MessageDigest[]>();

/** Fingerprints of one message. */
export function digestMessage(message: ChatMessage): MessageDigest {
  const exact = canonicalJson(message);
  const lenient = canonicalJson(toComparable(message));
  const digest = digestText(exact);
  return { exact: digest, lenient: lenient === exact ? digest : digestText(lenient) };
}

/**
 * A message without what clients change when they send an answer back: reasoning, empty or absent content, text as one
 * string or in parts, arguments of tool calls written in another way, lists without entries.
 */
export function toComparable(message: ChatMessage): Readonly<Record<string, unknown>> {
  const comparable: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    if (IGNORED.has(key) || isNothing(value)) continue;
    comparable[key] = key === 'content' ? toText(value) : key === 'tool_calls' ? toComparableCalls(value) : value;
  }
  if (comparable.content === '') delete comparable.content;
  return comparable;
}

const IGNORED: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning']);

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function toText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => field(part, 'text') ?? field(part, 'refusal'));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : content;
}

function toComparableCalls(calls: unknown): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call) => {
    const target = field(call, 'function');
    return { id: field(call, 'id'), name: field(target, 'name'), arguments: parsed(field(target, 'arguments')) };
  });
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}

/**
 * 106 bits that depend on every character, for telling texts apart; no secret and no defence against a forger, who could
 * only mix up a session of his own.
 *
 * @remarks Two 53-bit multiply-xor hashes with different seeds, after "cyrb53" (public domain).
 */
export function digestText(text: string): string {
  return `${hash53(text, 0x9e3779b9)}-${hash53(text, 0x85ebca6b)}`;
}

function hash53(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
