import { describe, expect, it } from 'vitest';
import { placeSegments } from './segment-places';

const block = (role: 'prompt' | 'gen' | 'context', length: number) => ({ role, length, text: '', tokens: null });

describe('placeSegments', () => {
  it('cuts a run that a context turn splits, and counts positions over all tokens', () => {
    const placed = placeSegments(
      [block('prompt', 52), block('gen', 18), block('context', 31), block('gen', 24)],
      [
        [5, 20],
        [6, 22],
      ],
    );
    expect(placed.map(({ from, to, runs }) => [from, to, runs])).toEqual([
      [1, 52, []],
      [53, 70, [[5, 18]]],
      [71, 101, []],
      [
        102,
        125,
        [
          [5, 2],
          [6, 22],
        ],
      ],
    ]);
  });

  it('gives no runs where the dump has none', () => {
    expect(placeSegments([block('gen', 3)], [])[0]?.runs).toEqual([]);
  });
});
