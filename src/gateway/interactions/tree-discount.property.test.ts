import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InteractionId, interactionId } from '../../shared/domain/ids';
import { creditRewards } from './reward-discount';
import { branchHeads, type TreeTurn, treeCredits } from './tree-discount';

// + 0: no discount tells −0 from 0
const reward = fc.option(
  fc.double({ min: -10, max: 10, noNaN: true }).map((value) => value + 0),
  { nil: null },
);
const gamma = fc.double({ min: 0, max: 1, noNaN: true });
const idOf = (k: number): InteractionId => interactionId(`i${k}`);

/** Any forest: each turn continues an earlier one or none. */
const forest = fc.array(fc.tuple(reward, fc.nat()), { minLength: 1, maxLength: 14 }).map((raw) =>
  raw.map(([value, draw], k): TreeTurn => {
    const parent = draw % (k + 1);
    return { interactionId: idOf(k), parentId: parent === k ? null : idOf(parent), reward: value };
  }),
);

const isAncestor = (turns: readonly TreeTurn[], ancestor: InteractionId, of: InteractionId): boolean => {
  const parents = new Map(turns.map((turn) => [turn.interactionId, turn.parentId]));
  for (let id = parents.get(of) ?? null; id !== null; id = parents.get(id) ?? null) if (id === ancestor) return true;
  return false;
};

describe('treeCredits', () => {
  it('is the linear discount, to the last bit, on a single chain', () => {
    fc.assert(
      fc.property(fc.array(reward, { maxLength: 12 }), gamma, (rewards, g) => {
        const chain = rewards.map((value, k) => ({
          interactionId: idOf(k),
          parentId: k === 0 ? null : idOf(k - 1),
          reward: value,
        }));
        expect(treeCredits(chain, g)).toEqual(creditRewards(rewards, g));
      }),
    );
  });

  it('gives every turn its own reward plus γ times the mean of what is known below it', () => {
    fc.assert(
      fc.property(forest, gamma, (turns, g) => {
        const credits = treeCredits(turns, g);
        turns.forEach((turn, k) => {
          const below = turns.flatMap((child, c) => (child.parentId === turn.interactionId ? (credits[c] ?? []) : []));
          const mean = below.reduce((sum, value) => sum + value, 0) / below.length;
          if (g === 0 || below.length === 0) expect(credits[k]).toBe(turn.reward);
          else expect(credits[k]).toBeCloseTo((turn.reward ?? 0) + g * mean, 10);
        });
      }),
    );
  });

  it('lets a reward reach the turn itself and its ancestors, and nobody else', () => {
    fc.assert(
      fc.property(forest, gamma, fc.nat(), fc.double({ min: -5, max: 5, noNaN: true }), (turns, g, draw, value) => {
        const target = turns[draw % turns.length];
        if (target === undefined) return;
        const changed = turns.map((turn) => (turn === target ? { ...turn, reward: value } : turn));
        const before = treeCredits(turns, g);
        const after = treeCredits(changed, g);
        turns.forEach((turn, k) => {
          const isTouched = turn === target || isAncestor(turns, turn.interactionId, target.interactionId);
          if (!isTouched) expect(after[k]).toBe(before[k]);
        });
      }),
    );
  });

  it('does not depend on how often a turn was continued when every continuation earned the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -4, max: 4 }), gamma, (children, value, g) => {
        const root = { interactionId: idOf(0), parentId: null, reward: 1 };
        const leaves = Array.from({ length: children }, (_, k) => ({
          interactionId: idOf(k + 1),
          parentId: idOf(0),
          reward: value,
        }));
        expect(treeCredits([root, ...leaves], g)[0]).toBeCloseTo(1 + g * value, 12);
      }),
    );
  });
});

describe('branchHeads', () => {
  it('cuts a forest into unbranched stretches', () => {
    fc.assert(
      fc.property(forest, (turns) => {
        const heads = branchHeads(turns);
        for (const { interactionId: id, parentId } of turns) {
          const siblings = turns.filter((turn) => turn.parentId === parentId && parentId !== null).length;
          expect(heads.get(id)).toBe(siblings === 1 && parentId !== null ? heads.get(parentId) : id);
        }
      }),
    );
  });
});

// AReaL: tests/experimental/openai/test_tree_reward_discounting.py (PR 1666).
describe('treeCredits on AReaL’s cases', () => {
  const of = (rows: readonly (readonly [id: string, parent: string | null, reward: number | null])[], g: number) => {
    const turns = rows.map(([id, parent, value]) => ({
      interactionId: interactionId(id),
      parentId: parent === null ? null : interactionId(parent),
      reward: value,
    }));
    return Object.fromEntries(treeCredits(turns, g).map((credit, k) => [turns[k]?.interactionId, credit]));
  };

  it.each([
    // test_linear_chain_equivalence_to_linear_mode
    [
      'a chain',
      [
        ['c1', null, 0.1],
        ['c2', 'c1', 0.2],
        ['c3', 'c2', 1],
      ],
      0.9,
      { c1: 1.09, c2: 1.1, c3: 1 },
    ],
    // test_branching_tree_isolation
    [
      'two branches',
      [
        ['root', null, 0],
        ['a', 'root', 0],
        ['a1', 'a', 1],
        ['b', 'root', 0],
        ['b1', 'b', -1],
      ],
      0.8,
      { root: 0, a: 0.8, a1: 1, b: -0.8, b1: -1 },
    ],
    // test_tensor_cache_sync_and_original_reward: the value the tensor must carry
    [
      'two turns',
      [
        ['c1', null, 0.5],
        ['c2', 'c1', 2],
      ],
      0.5,
      { c1: 1.5, c2: 2 },
    ],
  ] as const)('%s', (_name, rows, g, expected) => {
    const actual = of(rows, g);
    expect(Object.keys(actual)).toEqual(expect.arrayContaining(Object.keys(expected)));
    for (const [id, value] of Object.entries(expected)) expect(actual[id]).toBeCloseTo(value, 12);
  });
});
