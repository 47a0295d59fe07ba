import { describe, expect, it } from 'vitest';
import { anInteraction } from './testing/an-interaction';
import { concatRows, interactionTokens, turnDepths } from './token-rows';

describe('interactionTokens', () => {
  it('aligns mask, log-probs and versions with the tokens, −1 and 0 on the prompt', () => {
    const tokens = interactionTokens(
      anInteraction({ prompt: [1, 2, 3], output: [4, 5], logprobs: [-0.5, -1], versions: [6, 7] }),
    );
    expect(tokens).toEqual({
      tokenIds: [1, 2, 3, 4, 5],
      logprobs: [0, 0, 0, -0.5, -1],
      lossMask: [0, 0, 0, 1, 1],
      versions: [-1, -1, -1, 6, 7],
    });
  });
});

describe('turnDepths', () => {
  it('counts ancestors, branches and roots apart', () => {
    const depths = turnDepths([
      anInteraction({ id: 'a' }),
      anInteraction({ id: 'b', parent: 'a' }),
      anInteraction({ id: 'c', parent: 'a' }),
      anInteraction({ id: 'd', parent: 'c' }),
      anInteraction({ id: 'e' }),
    ]);
    expect([...depths]).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 1],
      ['d', 2],
      ['e', 0],
    ]);
  });
});

describe('concatRows', () => {
  const root = anInteraction({ id: 'a', prompt: [1, 2], output: [3, 4], logprobs: [-1, -2], versions: [5, 5] });
  const child = anInteraction({
    id: 'b',
    parent: 'a',
    prompt: [1, 2, 3, 4, 9],
    output: [7],
    logprobs: [-3],
    versions: [6],
  });

  it('folds the parent into the leaf and masks the gap', () => {
    const rows = concatRows([root, child]);
    expect(rows.ok && rows.value.map(({ tokens, turnIds }) => ({ ...tokens, turnIds }))).toEqual([
      {
        tokenIds: [1, 2, 3, 4, 9, 7],
        logprobs: [0, 0, -1, -2, 0, -3],
        lossMask: [0, 0, 1, 1, 0, 1],
        versions: [-1, -1, 5, 5, -1, 6],
        turnIds: [-1, -1, 0, 0, -1, 1],
      },
    ]);
  });

  it('gives one row per branch', () => {
    const other = anInteraction({ id: 'c', parent: 'a', prompt: [1, 2, 3, 4], output: [8] });
    const rows = concatRows([root, child, other]);
    expect(rows.ok && rows.value.map((row) => row.leaf.id)).toEqual(['b', 'c']);
  });

  it.each([
    ['rewritten history', [1, 2, 3, 5, 9]],
    ['shorter prompt', [1, 2, 3]],
  ])('refuses %s', (_name, prompt) => {
    const rows = concatRows([root, anInteraction({ id: 'b', parent: 'a', prompt, output: [7] })]);
    expect(rows).toEqual({ ok: false, error: { kind: 'not-a-continuation', interactionId: 'b', parentId: 'a' } });
  });

  it('masks an answer that must not be trained where the conversation went on from it', () => {
    const rows = concatRows([root, child], new Set([root.id]));
    expect(rows.ok && rows.value.map(({ tokens, turnIds }) => ({ ...tokens, turnIds }))).toEqual([
      {
        tokenIds: [1, 2, 3, 4, 9, 7],
        logprobs: [0, 0, 0, 0, 0, -3],
        lossMask: [0, 0, 0, 0, 0, 1],
        versions: [-1, -1, -1, -1, -1, 6],
        turnIds: [-1, -1, -1, -1, -1, 0],
      },
    ]);
  });

  it('goes back to the last answer that may be trained', () => {
    const rows = concatRows([root, child], new Set([child.id]));
    expect(rows.ok && rows.value.map((row) => row.leaf.id)).toEqual(['a']);
  });
});

// AReaL: tests/experimental/openai/test_cache.py. Which turn continues which is decided before; here it is given.
describe('concatRows on AReaL’s cases', () => {
  const turn = (id: string, parent: string | undefined, prompt: readonly number[], output: readonly number[]) =>
    anInteraction({ id, parent, prompt, output });

  it.each([
    // test_export_interactions_concat_style: 1 ─ 2 ─ 4, and 3 with the prompt of 1 and an answer of its own
    [
      'a chain and another root',
      [
        turn('1', undefined, [1], [2]),
        turn('2', '1', [1, 2, 3], [4]),
        turn('3', undefined, [1], [5]),
        turn('4', '2', [1, 2, 3, 4, 6], [7]),
      ],
      ['3', '4'],
    ],
    // test_export_interactions_concat_style_output_be_refactored: the client rewrote the answer, so nothing continues it
    [
      'an answer that the client rewrote',
      [turn('1', undefined, [1], [2, 3]), turn('2', undefined, [1, 3, 4], [5])],
      ['1', '2'],
    ],
    // test_multiple_exports_after_build
    ['two turns', [turn('1', undefined, [1], [2]), turn('2', '1', [1, 2], [3])], ['2']],
    // test_concat_reward_discount_does_not_mix_sibling_outcomes, its rows
    [
      'two leaves of one root',
      [
        turn('root', undefined, [1], [2]),
        turn('leaf-a', 'root', [1, 2, 3], [4]),
        turn('leaf-b', 'root', [1, 2, 5], [6]),
      ],
      ['leaf-a', 'leaf-b'],
    ],
    // test_export_interactions_empty_cache
    ['nothing', [], []],
  ])('%s', (_name, finished, leaves) => {
    const rows = concatRows(finished);
    expect(rows.ok && rows.value.map((row) => row.leaf.id)).toEqual(leaves);
    expect(concatRows(finished)).toEqual(rows);
  });
});
