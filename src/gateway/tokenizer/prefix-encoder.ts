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

/** Never changed once made: its ids are in other hands too. */
interface Rendering {
  readonly text: string;
  readonly ids: readonly number[];
  /** where pieces begin: characters and tokens before them */
  readonly positions: readonly number[];
  readonly offsets: readonly number[];
}

const NOTHING: Rendering = { text: '', ids: [], positions: [], offsets: [] };

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

  forget(conversation: string): void {
    this.#conversations.take(conversation);
  }

  /** @param conversation - whose earlier texts this one may begin with; null = nobody's */
  encodeText(text: string, conversation: string | null): EncodedPrompt {
    const renderings = conversation === null ? [] : (this.#conversations.take(conversation) ?? []);
    const { known, pieces, isContinued } = findBest(renderings, text, this.added.longest);
    const rendering = this.#goOn(known, pieces, text);
    if (conversation !== null) {
      const others = isContinued ? renderings.filter((other) => other !== known) : renderings;
      const kept = [rendering, ...others.slice(0, RENDERINGS_PER_CONVERSATION - 1)];
      this.#conversations.put(conversation, kept, sizeOf(kept));
    }
    return { ids: rendering.ids, cachedTokens: known.offsets[pieces] ?? 0 };
  }

  /** @param pieces - of what is known, those that the text begins with */
  #goOn(known: Rendering, pieces: number, text: string): Rendering {
    const from = known.positions[pieces] ?? 0;
    const before = known.offsets[pieces] ?? 0;
    const rest = text.slice(from);
    const starts = this.added.boundariesOf(rest);
    if (starts[0] !== 0) starts.unshift(0);
    const fresh: number[] = [];
    const offsets = starts.map((start, at) => {
      const offset = before + fresh.length;
      const piece = rest.slice(start, starts[at + 1]);
      if (piece !== '') for (const id of this.encode(piece)) fresh.push(id);
      return offset;
    });
    return {
      text,
      // Copied, because a list that grew holds room for more.
      ids: known.ids.slice(0, before).concat(fresh),
      positions: known.positions.slice(0, pieces).concat(starts.map((start) => from + start)),
      offsets: known.offsets.slice(0, pieces).concat(offsets),
    };
  }
}

/** The rendering that shares most, how many of its pieces are certain, and whether the text goes on where it ended. */
function findBest(
  renderings: readonly Rendering[],
  text: string,
  longestToken: number,
): { readonly known: Rendering; readonly pieces: number; readonly isContinued: boolean } {
  let best = { known: NOTHING, pieces: 0, isContinued: true };
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

/** The objects themselves, which is most of what short conversations take. */
const RENDERING_BYTES = 400;

/** Strings take two bytes a character at most, numbers eight. */
function sizeOf(renderings: readonly Rendering[]): number {
  return renderings.reduce(
    (sum, { text, ids, positions }) => sum + RENDERING_BYTES + 2 * text.length + 8 * ids.length + 16 * positions.length,
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
