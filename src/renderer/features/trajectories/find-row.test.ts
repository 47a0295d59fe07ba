import { describe, expect, it } from 'vitest';
import { rowOf } from '../../testing/fake-dumps';
import { findRow } from './find-row';
import { pagesInSight } from './use-trajectory-rows';

function dump(groups: readonly string[]) {
  const asked: number[] = [];
  return {
    asked,
    total: groups.length,
    pageSize: 4,
    limit: 100,
    loadPage: async (page: number) => {
      asked.push(page);
      return groups.slice(page * 4, page * 4 + 4).map((group, at) => rowOf(page * 4 + at, { group_id: group }));
    },
    matches: (row: ReturnType<typeof rowOf>) => row.record?.group_id === 'a',
  };
}

describe('findRow', () => {
  it('finds the next match on a later page, reading each page once', async () => {
    const search = dump(['a', 'b', 'b', 'b', 'b', 'b', 'a', 'b']);
    expect(await findRow({ ...search, from: 0, step: 1 })).toEqual({ index: 6, scanned: 6 });
    expect(search.asked).toEqual([0, 1]);
  });

  it('finds the previous match', async () => {
    expect(await findRow({ ...dump(['a', 'b', 'b', 'b', 'b', 'a']), from: 5, step: -1 })).toEqual({
      index: 0,
      scanned: 5,
    });
  });

  it('starts before the first row', async () => {
    expect(await findRow({ ...dump(['a']), from: -1, step: 1 })).toEqual({ index: 0, scanned: 1 });
  });

  it('does not wrap around', async () => {
    expect(await findRow({ ...dump(['a', 'b', 'b']), from: 0, step: 1 })).toEqual({ index: null, scanned: 2 });
  });

  it('gives up at the limit and says how far it looked', async () => {
    const search = dump(Array.from({ length: 50 }, () => 'b'));
    expect(await findRow({ ...search, from: 0, step: 1, limit: 6 })).toEqual({ index: null, scanned: 6 });
    expect(search.asked).toEqual([0, 1]);
  });
});

describe('pagesInSight', () => {
  it.each([
    ['the top', 0, 40, 5000, [0]],
    ['across a border', 90, 130, 5000, [0, 1]],
    ['far down, with the first page for the total', 2450, 2520, 5000, [0, 24, 25]],
    ['nothing beyond the end', 4980, 5020, 5000, [0, 49]],
    ['an empty dump', 0, 0, 0, [0]],
    ['overscan above the top', -12, 20, 5000, [0]],
  ])('%s', (_reason, first, last, known, expected) => {
    expect(pagesInSight(first, last, known)).toEqual(expected);
  });
});
