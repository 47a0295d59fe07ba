import { describe, expect, it } from 'vitest';
import { en } from './en';
import { zh } from './zh';

type Leaf = [path: string, value: unknown];

const leaves = (value: unknown, path: string): Leaf[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`))
    : [[path, value]];

describe('language files', () => {
  const english = leaves(en, '');
  const chinese = new Map(leaves(zh, ''));

  it('have the same keys, lists of the same length included', () => {
    expect([...chinese.keys()].sort()).toEqual(english.map(([path]) => path).sort());
  });

  it('leave no text empty in one language only', () => {
    const odd = english.filter(([path, value]) => (value === '') !== (chinese.get(path) === ''));
    expect(odd).toEqual([]);
  });
});
