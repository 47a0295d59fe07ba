import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import { canonicalJson, withoutNulls } from './canonical-json';
import { ConversationTree } from './conversation-tree';

// Few roles and texts, so that prefixes really occur.
const message: fc.Arbitrary<ChatMessage> = fc.record(
  { role: fc.constantFrom('user', 'assistant'), content: fc.constantFrom('a', 'b') },
  { noNullPrototype: true },
);
const conversation = fc.array(message, { minLength: 1, maxLength: 5 });

interface Finished {
  readonly id: InteractionId;
  readonly path: readonly ChatMessage[];
}

/** The definition, spelled out: longest prefix, earliest among equals. */
function findByDefinition(finished: readonly Finished[], messages: readonly ChatMessage[]): InteractionId | null {
  const prefixes = finished.filter(({ path }) => isDeepStrictEqual(path, messages.slice(0, path.length)));
  const longest = Math.max(...prefixes.map(({ path }) => path.length));
  return prefixes.find(({ path }) => path.length === longest)?.id ?? null;
}

describe('ConversationTree', () => {
  it('finds the longest stored prefix, the earliest when several are equally long', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(conversation, message), { maxLength: 12 }), conversation, (stored, messages) => {
        const tree = new ConversationTree();
        const finished = stored.map(([history, output], index) => {
          const id = interactionId(`i${index}`);
          tree.add(id, history, output);
          return { id, path: [...history, output] };
        });
        expect(tree.findParent(messages)).toBe(findByDefinition(finished, messages));
      }),
    );
  });

  it('does not change an answer by adding conversations that are no prefix', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(conversation, message), { maxLength: 8 }), conversation, (stored, messages) => {
        const tree = new ConversationTree();
        stored.forEach(([history, output], index) => {
          tree.add(interactionId(`i${index}`), history, output);
        });
        const before = tree.findParent(messages);
        tree.add(interactionId('later'), messages, { role: 'assistant', content: 'c' });
        expect(tree.findParent(messages)).toBe(before);
      }),
    );
  });

  it('keeps branches of one parent apart', () => {
    const tree = new ConversationTree();
    const question = { role: 'user', content: 'q' };
    tree.add(interactionId('root'), [question], { role: 'assistant', content: 'x' });
    tree.add(interactionId('other'), [question], { role: 'assistant', content: 'y' });
    const next = (answer: string): ChatMessage[] => [question, { content: answer, role: 'assistant' }, question];
    expect(tree.findParent(next('x'))).toBe('root');
    expect(tree.findParent(next('y'))).toBe('other');
    expect(tree.findParent(next('z'))).toBeNull();
  });
});

describe('canonicalJson', () => {
  it('is equal exactly when the values are deeply equal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        const [a, b] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as unknown); // drops −0
        expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ a: 1, b: { c: 2, d: [3] } })).toBe(canonicalJson({ b: { d: [3], c: 2 }, a: 1 }));
  });
});

describe('withoutNulls', () => {
  it('removes null-valued keys at every depth but keeps nulls in lists', () => {
    expect(withoutNulls({ a: null, b: { c: null, d: 1 }, e: [null, { f: null }] })).toEqual({
      b: { d: 1 },
      e: [null, {}],
    });
  });
});
