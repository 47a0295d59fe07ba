import { contextRefusal } from '../actions/prepare-call';
import { type Refusal, refusal } from '../platform/refusal';
import { JsonMeter } from './json-meter';

/** What a call may ask at most, beside the bytes of its body. */
export interface CallLimits {
  readonly bodyLimitBytes: number;
  readonly contextLength: number;
  /** how many contexts the prompt may fill: more than 1 where tokens are only counted */
  readonly contexts: number;
}

const MOST_TOOLS = 1000;
/** More are refused by the schema, whatever the body. */
const MOST_CHOICES = 128;
/** Of JSON that describes tools or the form of an answer, and of everything that only travels along. */
const MOST_CHARACTERS = {
  tools: 1_000_000,
  response_format: 1_000_000,
  text: 1_000_000,
  output_config: 1_000_000,
  metadata: 64_000,
  chat_template_kwargs: 64_000,
};
const SCHEMA_LIMITS = { values: 10_000, levels: 64 };
/** A message with a word takes a token for the word and one that sets it apart, whatever the template. */
const TOKENS_PER_MESSAGE = 2;
/** An item of OpenAI's responses can be a part of a message. */
const ITEMS_PER_MESSAGE = 4;
/** Of the arguments of earlier tool calls, which are JSON within JSON; a model may nest deeper than a client does. */
const ARGUMENT_LIMITS = { values: 20_000, levels: 512 };

/**
 * What makes a call of any dialect too much to be looked at closely, found on the parsed body before its schema is.
 *
 * Everything here is what one caller could keep all others waiting with: checked values, digests and templates of
 * hundreds of thousands of entries take seconds.
 */
export function findExcess(
  body: unknown,
  bytes: number,
  { bodyLimitBytes, contextLength, contexts }: CallLimits,
): Refusal | null {
  const messages = listIn(body, 'messages');
  const items = listIn(body, 'input');
  const room = contexts * contextLength;
  const most = Math.ceil(room / TOKENS_PER_MESSAGE);
  if (messages.length > most || items.length > ITEMS_PER_MESSAGE * most)
    return contextRefusal(contextLength, `more than ${room}`);

  const tools = listIn(body, 'tools');
  if (tools.length > MOST_TOOLS)
    return refusal('bad-request', `tools has ${tools.length} entries: send ${MOST_TOOLS} at most.`, 'tools');
  for (const [name, most] of Object.entries(MOST_CHARACTERS)) {
    const problem = findOversize(field(body, name), most);
    if (problem !== null) return refusal('bad-request', `${name} ${problem} at most.`, name);
  }

  const n = field(body, 'n');
  if (typeof n === 'number' && n > 1 && n <= MOST_CHOICES && n * bytes > bodyLimitBytes)
    return refusal(
      'bad-request',
      `n = ${n} answers to a body of ${bytes} bytes are ${n * bytes} bytes to record, and the limit is ${bodyLimitBytes}: ask for fewer answers, or send less.`,
      'n',
    );
  return findDeepArguments(messages, items);
}

function findOversize(value: unknown, mostCharacters: number): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const text = JSON.stringify(value);
  if (text.length > mostCharacters) return `is ${text.length} characters of JSON: send ${mostCharacters}`;
  const exceeded = new JsonMeter(SCHEMA_LIMITS).addText(text);
  return exceeded === null ? null : `has too many ${exceeded}: send ${SCHEMA_LIMITS[exceeded]}`;
}

function findDeepArguments(messages: readonly unknown[], items: readonly unknown[]): Refusal | null {
  const meter = new JsonMeter(ARGUMENT_LIMITS);
  for (const [name, list] of Object.entries({ messages, input: items }))
    for (const [index, entry] of list.entries())
      for (const text of argumentsIn(entry)) {
        const exceeded = meter.addText(text);
        if (exceeded !== null)
          return refusal(
            'bad-request',
            `${name}[${index}]: the arguments of tool calls have more than ${ARGUMENT_LIMITS[exceeded]} ${exceeded}.`,
            name,
          );
      }
  return null;
}

function argumentsIn(entry: unknown): string[] {
  const calls = listIn(entry, 'tool_calls').map((call) => field(field(call, 'function'), 'arguments'));
  return [...calls, field(entry, 'arguments')].filter((text) => typeof text === 'string');
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}
