import { describe, expect, it } from 'vitest';
import { keyName } from './key-hint';

describe('a key as people read it', () => {
  it.each([
    ['g', 'G'],
    ['G', '⇧ G'],
    ['mod+k', 'Ctrl K'],
    ['Enter', '⏎'],
    ['Home', 'Home'],
    ['0', '0'],
  ])('%s is %s', (key, name) => {
    expect(keyName(key)).toBe(name);
  });
});
