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
});
