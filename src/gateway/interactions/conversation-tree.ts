import type { InteractionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';

/**
 * Finds the parent of a new interaction: the finished one whose messages + output are the longest prefix of its messages.
 *
 * Messages are equal when they are deeply equal; the order of keys does not matter. When two finished interactions have
 * the same conversation, the one that was added first stays the parent.
 */
export class ConversationTree {
  readonly #root: Node = { children: new Map(), id: null };

  /** Call once per finished interaction. */
  add(id: InteractionId, messages: readonly ChatMessage[], output: ChatMessage): void {
    let node = this.#root;
    for (const message of [...messages, output]) {
      const key = canonicalJson(message);
      let child = node.children.get(key);
      if (child === undefined) {
        child = { children: new Map(), id: null };
        node.children.set(key, child);
      }
      node = child;
    }
    node.id ??= id;
  }

  /** null when no finished conversation is a prefix: the new interaction is a root. */
  findParent(messages: readonly ChatMessage[]): InteractionId | null {
    let node = this.#root;
    let parent: InteractionId | null = null;
    for (const message of messages) {
      const child = node.children.get(canonicalJson(message));
      if (child === undefined) break;
      node = child;
      parent = node.id ?? parent;
    }
    return parent;
  }
}

interface Node {
  readonly children: Map<string, Node>;
  id: InteractionId | null;
}

/** One text per value, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** Removes null-valued keys at every depth: clients send them for absent fields, and absent must equal absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}
