import { sampleConversation, sampleTurns } from '../../src/embedded/world/conversation';
import { integer, type Random } from '../../src/embedded/world/random';
import type { ChatEncoder } from './chat-encoder';

/** One compiled shape of microbatch. */
export interface RowShape {
  readonly rows: number;
  readonly length: number;
  /** turns per chat: as people chat, or many, so that late positions are learned too */
  readonly chats: 'short' | 'long';
}

export interface PackedRows {
  readonly ids: Int32Array;
  readonly targets: Int32Array;
  /** 1 where the assistant speaks, `quiet` elsewhere */
  readonly weights: Float32Array;
}

/** What tokens other than the assistant's count in the loss: enough to learn how people write, not to care. */
const QUIET = 0.1;

/**
 * Fills rows with whole chats, each row from its first position on, `<|endoftext|>` between chats; the last chat of a
 * row is cut. So the model meets chats both at position 0, where a server puts them, and later.
 */
export function packRows(random: Random, encoder: ChatEncoder, { rows, length, chats }: RowShape): PackedRows {
  const packed: PackedRows = {
    ids: new Int32Array(rows * length),
    targets: new Int32Array(rows * length),
    weights: new Float32Array(rows * length),
  };
  for (let row = 0; row < rows; row++) {
    const ids: number[] = [];
    const spoken: boolean[] = [];
    while (ids.length < length + 1) {
      const turns = chats === 'long' ? integer(random, 3, 10) : sampleTurns(random);
      const chat = encoder.encodeChat(sampleConversation(random, turns));
      ids.push(...chat.ids, encoder.endOfText);
      spoken.push(...chat.spoken, false);
    }
    for (let t = 0; t < length; t++) {
      packed.ids[row * length + t] = ids[t]!;
      packed.targets[row * length + t] = ids[t + 1]!;
      packed.weights[row * length + t] = spoken[t + 1]! ? 1 : QUIET;
    }
  }
  return packed;
}
