import type { AddedTokens } from './added-tokens';
import { ByteCache } from './byte-cache';

/** Texts and ids kept for the next turns of conversations, all of them together. */
const CAPACITY_BYTES = 64 * 1024 * 1024;
/** Renderings kept for one conversation: agents that share a session's key take turns. */
const RENDERINGS_PER_CONVERSATION = 4;
/** Characters at the end of a rendering that the next turn may render differently and still go on from it. */
const LOST_END = 256;

/** Ids of a text, and how many of them an earlier text of the conversation already had. */
export interface EncodedPrompt {
  readonly ids: readonly number[];
  readonly cachedTokens: number;
}

interface Rendering {
  text: string;
  readonly ids: number[];
  /** where pieces begin: characters and tokens before them */
  readonly positions: number[];
  readonly offsets: number[];
}

/**
 * Encodes texts that grow at their end: what an earlier text of the same conversation began with is not encoded again.
 *
 * The ids are those of encoding the whole text, because the cut is always made where pieces are independent.
 */
export class PrefixEncoder {
  readonly #conversations: ByteCache<Rendering[]>;

  constructor(
    private readonly encode: (piece: string) => readonly number[],
    private readonly added: AddedTokens,
    capacityBytes = CAPACITY_BYTES,
  ) {
    this.#conversations = new ByteCache(capacityBytes);
  }

  /** memory held, roughly */
  get bytes(): number {
    return this.#conversations.bytes;
  }

  /** @param conversation - whose earlier texts this one may begin with; null = nobody's */
  encodeText(text: string, conversation: string | null): EncodedPrompt {
    const renderings = conversation === null ? [] : (this.#conversations.take(conversation) ?? []);
    const { known, pieces, isContinued } = findBest(renderings, text, this.added.longest);
    const from = known.positions[pieces] ?? 0;
    const cachedTokens = known.offsets[pieces] ?? 0;
    const rendering = isContinued ? known : copyOf(known);
    rendering.positions.length = pieces;
    rendering.offsets.length = pieces;
    rendering.ids.length = cachedTokens;
    this.#extend(rendering, text, from);
    if (conversation === null) return { ids: rendering.ids, cachedTokens };
    const others = renderings.filter((other) => other !== rendering);
    const kept = [rendering, ...others.slice(0, RENDERINGS_PER_CONVERSATION - 1)];
    this.#conversations.put(conversation, kept, sizeOf(kept));
    return { ids: rendering.ids.slice(), cachedTokens };
  }

  #extend(rendering: Rendering, text: string, from: number): void {
    const rest = text.slice(from);
    const starts = this.added.boundariesOf(rest);
    if (starts[0] !== 0) starts.unshift(0);
    for (const [at, start] of starts.entries()) {
      rendering.positions.push(from + start);
      rendering.offsets.push(rendering.ids.length);
      const piece = rest.slice(start, starts[at + 1]);
      if (piece !== '') for (const id of this.encode(piece)) rendering.ids.push(id);
    }
    rendering.text = text;
  }
}

/** The rendering that shares most, how many of its pieces are certain, and whether the text goes on where it ended. */
function findBest(
  renderings: readonly Rendering[],
  text: string,
  longestToken: number,
): { readonly known: Rendering; readonly pieces: number; readonly isContinued: boolean } {
  let best = { known: { text: '', ids: [], positions: [], offsets: [] } as Rendering, pieces: 0, isContinued: true };
  for (const known of renderings) {
    const common = commonPrefixLength(known.text, text);
    const certain = known.text === text ? Number.POSITIVE_INFINITY : common - longestToken;
    let pieces = known.positions.length - 1;
    // A token that begins within reach of the first difference could be another, longer one now.
    while (pieces > 0 && (known.positions[pieces] ?? 0) > certain) pieces -= 1;
    const isContinued = known.text.length - common <= LOST_END;
    if (pieces > best.pieces) best = { known, pieces, isContinued };
  }
  return best;
}

function copyOf({ text, ids, positions, offsets }: Rendering): Rendering {
  return { text, ids: ids.slice(), positions: positions.slice(), offsets: offsets.slice() };
}

/** Strings take two bytes a character at most, numbers eight. */
function sizeOf(renderings: readonly Rendering[]): number {
  return renderings.reduce(
    (sum, { text, ids, positions }) => sum + 2 * text.length + 8 * ids.length + 16 * positions.length,
    0,
  );
}

const BLOCK = 4096;

/** Compares block by block, which engines do much faster than character by character. */
export function commonPrefixLength(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let at = 0;
  while (at < most && left.slice(at, at + BLOCK) === right.slice(at, at + BLOCK)) at += BLOCK;
  at = Math.min(at, most);
  while (at < most && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  return at;
}
