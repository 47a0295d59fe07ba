import { describe, expect, it } from 'vitest';
import type { CommonFields } from '../../../shared/wire/trajectory-files';
import { badRowOf, rowOf } from '../../testing/fake-dumps';
import { alikeFields, type ColumnId, chooseColumns, leastWidth } from './table-columns';

describe('chooseColumns', () => {
  it.each<[string, CommonFields, number, string]>([
    ['a wide table', {}, 900, 'task sample prompt answer versions reward length turn finish'],
    ['one whose width is not known yet', {}, 0, 'task sample prompt answer versions reward length turn finish'],
    ['one task', { task_id: 1 }, 900, 'sample prompt answer versions reward length turn finish'],
    [
      'fields that no row has',
      { turn: null, finish_reason: null },
      900,
      'task sample prompt answer versions reward length',
    ],
    ['less room: the finish goes first', {}, 660, 'task sample prompt answer versions reward length turn'],
    ['little room', {}, 600, 'task prompt answer versions reward length'],
    ['no room at all: what tells rows apart stays', {}, 100, 'task prompt answer versions reward length'],
    [
      'little room, but nothing to spend it on twice',
      { task_id: 1, sample_idx: 0 },
      620,
      'prompt answer versions reward length turn finish',
    ],
  ])('%s', (_name, alike, width, expected) => {
    expect(chooseColumns(alike, width).join(' ')).toBe(expected);
  });

  it('gives prompt and answer all that the fixed columns leave', () => {
    const ids: readonly ColumnId[] = ['prompt', 'answer', 'reward'];
    expect(leastWidth(ids)).toBe(72 + 104 + 88 + 2 * 8 + 24);
  });
});

describe('alikeFields', () => {
  const turns = (...given: (number | undefined)[]) =>
    given.map((turn, index) => rowOf(index, { sample_idx: index, turn, finish_reason: 'stop' }));

  it.each([
    ['one row says nothing of others', undefined, turns(0), {}],
    ['not counted yet: others may differ', undefined, turns(1, 1), {}],
    ['not counted yet, but a field that no row has', undefined, turns(undefined, undefined), { turn: null }],
    ['counted', { turn: 1, finish_reason: 'stop' }, turns(1, 1), { turn: 1, finish_reason: 'stop' }],
    ['rows beyond the loaded ones differ', { task_id: 42 }, turns(1, 1), { task_id: 42 }],
    ['a row came that differs', { task_id: 42, turn: 0 }, turns(0, 1), { task_id: 42 }],
    ['bad lines have no say', { turn: 0 }, [badRowOf(2), ...turns(0, 0)], { turn: 0 }],
  ])('%s', (_name, common, loaded, expected) => {
    expect(alikeFields({ common }, loaded)).toEqual(expected);
  });
});
