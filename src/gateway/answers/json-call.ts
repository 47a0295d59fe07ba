import type { WrittenCall } from './call-syntax';
import type { JsonMember, JsonScanner } from './json-scanner';

/**
 * The call that a scanned object describes: a `name`, and an object as `arguments` or `parameters`.
 *
 * A call without arguments has none to give: `{}`. Some models write the arguments as a string of JSON: that is what
 * they mean, so it is taken out. Anything else is not a call.
 */
export function callOfObject(text: string, scanner: JsonScanner): WrittenCall | null {
  const name = memberValue(text, scanner.members.get('"name"'));
  if (typeof name !== 'string' || name === '') return null;
  const member = scanner.members.get('"arguments"') ?? scanner.members.get('"parameters"');
  if (member === undefined) return { name, arguments: '{}' };
  const written = argumentsText(text.slice(member.start, member.end));
  return written === null ? null : { name, arguments: written };
}

/** The JSON text of an arguments object, as written; null when it is none. */
export function argumentsText(written: string): string | null {
  const value = parse(written);
  if (isObject(value)) return written;
  if (value === null) return '{}';
  return typeof value === 'string' && isObject(parse(value)) ? value.trim() : null;
}

function memberValue(text: string, member: JsonMember | undefined): unknown {
  return member === undefined ? undefined : parse(text.slice(member.start, member.end));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** undefined when it is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
