import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import { ConversationTree } from './conversation-tree';

/** One finished interaction, as a tree needs it. */
export interface Conversation {
  readonly id: InteractionId;
  readonly messages: readonly ChatMessage[];
  readonly output: ChatMessage;
}

/**
 * Conversation trees of the sessions used last; a tree that is not held is built again from what is stored.
 *
 * Bounded by the messages in all trees together; the tree in use is never given up.
 */
export class TreeCache {
  /** least recently used first */
  readonly #trees = new Map<SessionId, ConversationTree>();
  #size = 0;

  constructor(
    private readonly limitMessages: number,
    /** finished interactions of a session, in arrival order */
    private readonly load: (session: SessionId) => readonly Conversation[],
  ) {}

  /** A session that has just started has no conversations: nothing need be read to know that. */
  begin(session: SessionId): void {
    if (!this.#trees.has(session)) this.#trees.set(session, new ConversationTree());
  }

  findParent(session: SessionId, messages: readonly ChatMessage[]): InteractionId | null {
    return this.#use(session).findParent(messages);
  }

  /** Call after the interaction was committed as finished. A tree that is not held will find it in the store. */
  add(session: SessionId, { id, messages, output }: Conversation): void {
    const tree = this.#trees.get(session);
    if (tree === undefined) return;
    const before = tree.size;
    tree.add(id, messages, output);
    this.#size += tree.size - before;
  }

  forget(session: SessionId): void {
    this.#size -= this.#trees.get(session)?.size ?? 0;
    this.#trees.delete(session);
  }

  #use(session: SessionId): ConversationTree {
    let tree = this.#trees.get(session);
    if (tree === undefined) {
      tree = new ConversationTree();
      for (const { id, messages, output } of this.load(session)) tree.add(id, messages, output);
      this.#size += tree.size;
    } else this.#trees.delete(session);
    this.#trees.set(session, tree);
    for (const [oldest] of this.#trees) {
      if (this.#size <= this.limitMessages || oldest === session) break;
      this.forget(oldest);
    }
    return tree;
  }
}
