import type { ChatMessage } from '../../shared/domain/interaction';
import { ByteCache } from './byte-cache';
import { PART } from './local-template';

const CAPACITY_BYTES = 64 * 1024 * 1024;
/** Agents that share a session's key take turns. */
const RENDERINGS_PER_CONVERSATION = 4;
/** Messages that a shortened rendering begins with: the first two, and the one before the first that is new. */
const LEADING = 3;

interface Rendering {
  /** a list of our own: a caller's may grow */
  readonly messages: readonly ChatMessage[];
  /** everything else that the template saw */
  readonly environment: string;
  readonly text: string;
  /** length of what stands before the messages */
  readonly headLength: number;
  /** where each message's part ends */
  readonly ends: readonly number[];
  /** memory held, roughly */
  readonly bytes: number;
}

interface Parts {
  readonly head: string;
  readonly parts: readonly string[];
  readonly tail: string;
}

/**
 * Renders conversations that grow at their end, for templates whose parts depend on their neighbours alone.
 *
 * Only the new messages are rendered, behind a few of the old ones that stand for the rest; the parts of the old ones
 * are taken from the rendering before.
 */
export class IncrementalRenderer {
  readonly #conversations = new ByteCache<readonly Rendering[]>(CAPACITY_BYTES);

  /** memory held, roughly */
  get bytes(): number {
    return this.#conversations.bytes;
  }

  forget(conversation: string): void {
    this.#conversations.take(conversation);
  }

  /**
   * @param environment - names everything else that the template is shown
   * @param renderMarked - renders messages with a mark before each part and behind the last
   * @returns null when marks and messages do not match: the template has to render by itself
   */
  render(messages: readonly ChatMessage[], { conversation, environment, renderMarked }: RenderTask): string | null {
    const known = this.#conversations.take(conversation) ?? [];
    const { base, shared } = findBase(known, messages, environment);
    const rendering =
      (base === null ? null : goOn(base, { shared, messages, renderMarked })) ??
      renderAll(messages, environment, renderMarked);
    const others = known.filter((other) => other !== base);
    const kept = [...(rendering === null ? [] : [rendering]), ...others].slice(0, RENDERINGS_PER_CONVERSATION);
    this.#conversations.put(
      conversation,
      kept,
      kept.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    return rendering?.text ?? null;
  }
}

type RenderMarked = (messages: readonly ChatMessage[]) => string;

interface RenderTask {
  readonly conversation: string;
  readonly environment: string;
  readonly renderMarked: RenderMarked;
}

function renderAll(
  messages: readonly ChatMessage[],
  environment: string,
  renderMarked: RenderMarked,
): Rendering | null {
  const rendered = takeApart(renderMarked(messages), messages.length);
  if (rendered === null) return null;
  const { head, parts, tail } = rendered;
  const ends = endsOf(parts, head.length);
  const text = head + parts.join('') + tail;
  return weighed({ messages: [...messages], environment, text, headLength: head.length, ends });
}

/** @returns null when this is not certain to be right */
function goOn(
  base: Rendering,
  task: { readonly shared: number; readonly messages: readonly ChatMessage[]; readonly renderMarked: RenderMarked },
): Rendering | null {
  const { shared, messages, renderMarked } = task;
  // The last shared message has another neighbour now.
  const reused = shared - 1;
  const [first, second, before] = [messages[0], messages[1], messages[reused - 1]];
  if (reused < LEADING || first === undefined || second === undefined || before === undefined) return null;
  const rendered = tryMarked([first, second, before, ...messages.slice(reused)], renderMarked);
  if (rendered === null) return null;
  const { head, parts, tail } = rendered;
  // The first part is rendered with its true neighbours, so it tells whether the beginning stayed as it was.
  const beginning = head + (parts[0] ?? '');
  if (head.length !== base.headLength || beginning !== base.text.slice(0, base.ends[0])) return null;
  const end = base.ends[reused - 1];
  if (end === undefined) return null;
  const fresh = parts.slice(LEADING);
  const text = base.text.slice(0, end) + fresh.join('') + tail;
  const ends = [...base.ends.slice(0, reused), ...endsOf(fresh, end)];
  // The old messages and environment are held already: those of this request can go.
  const held = [...base.messages.slice(0, shared), ...messages.slice(shared)];
  return weighed({ messages: held, environment: base.environment, text, headLength: base.headLength, ends });
}

function tryMarked(messages: readonly ChatMessage[], renderMarked: RenderMarked): Parts | null {
  try {
    return takeApart(renderMarked(messages), messages.length);
  } catch {
    // A template may refuse an order of messages that only the shortened conversation has; the whole one decides.
    return null;
  }
}

function findBase(
  known: readonly Rendering[],
  messages: readonly ChatMessage[],
  environment: string,
): { readonly base: Rendering | null; readonly shared: number } {
  let best: { base: Rendering | null; shared: number } = { base: null, shared: 0 };
  for (const base of known) {
    if (base.environment !== environment) continue;
    let shared = 0;
    const most = Math.min(base.messages.length, messages.length);
    while (shared < most && isEqual(base.messages[shared], messages[shared])) shared += 1;
    if (shared > best.shared) best = { base, shared };
  }
  return best;
}

function takeApart(marked: string, count: number): Parts | null {
  const [head, ...rest] = marked.split(PART);
  const tail = rest.pop();
  return head === undefined || tail === undefined || rest.length !== count ? null : { head, parts: rest, tail };
}

function endsOf(parts: readonly string[], start: number): number[] {
  let end = start;
  return parts.map((part) => {
    end += part.length;
    return end;
  });
}

/** Equality of JSON values; the order of keys counts, since a template may print them. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  const [leftEntries, rightEntries] = [Object.entries(left), Object.entries(right)];
  return (
    Array.isArray(left) === Array.isArray(right) &&
    leftEntries.length === rightEntries.length &&
    leftEntries.every(([name, value], at) => name === rightEntries[at]?.[0] && isEqual(value, rightEntries[at]?.[1]))
  );
}

/** The objects themselves, which is most of what short conversations take. */
const RENDERING_BYTES = 300;
const OBJECT_BYTES = 100;

/** Messages are weighed for themselves: a template may leave out most of what they hold. */
function weighed(rendering: Omit<Rendering, 'bytes'>): Rendering {
  const { messages, environment, text, ends } = rendering;
  const texts = 2 * (text.length + environment.length) + 8 * ends.length;
  return { ...rendering, bytes: RENDERING_BYTES + texts + sizeOf(messages) };
}

/** Strings take two bytes a character at most; names of fields are shared by all objects. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + sizeOf(member), OBJECT_BYTES);
}
