import type { InteractionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import { digestMessage, digestMessages } from './message-digest';

/**
 * Finds the parent of a new interaction: the finished one whose messages + output are the longest prefix of its messages.
 *
 * Messages are equal when their lenient fingerprints are. When two finished interactions have the same conversation, the
 * one that was added first stays the parent. Fingerprints are kept, not texts: a tree costs the same for short and long
 * messages.
 */
export class ConversationTree {
  readonly #root: Node = { children: null, id: null };
  #size = 0;

  /** messages held */
  get size(): number {
    return this.#size;
  }

  /** Call once per finished interaction. */
  add(id: InteractionId, messages: readonly ChatMessage[], output: ChatMessage): void {
    let node = this.#root;
    for (const { lenient } of digestMessages(messages)) node = this.#childOf(node, lenient);
    node = this.#childOf(node, digestMessage(output).lenient);
    node.id ??= id;
  }

  /** null when no finished conversation is a prefix: the new interaction is a root. */
  findParent(messages: readonly ChatMessage[]): InteractionId | null {
    let node = this.#root;
    let parent: InteractionId | null = null;
    for (const { lenient } of digestMessages(messages)) {
      const child = node.children?.get(lenient);
      if (child === undefined) break;
      node = child;
      parent = node.id ?? parent;
    }
    return parent;
  }

  #childOf(node: Node, key: string): Node {
    node.children ??= new Map();
    let child = node.children.get(key);
    if (child === undefined) {
      child = { children: null, id: null };
      node.children.set(key, child);
      this.#size += 1;
    }
    return child;
  }
}

interface Node {
  children: Map<string, Node> | null;
  id: InteractionId | null;
}
