import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyName } from './key-hint';

afterEach(() => vi.unstubAllGlobals());

describe('a key as people read it', () => {
  it.each([
    ['g', 'G', 'G'],
    ['G', '⇧ G', '⇧ G'],
    ['mod+k', 'Ctrl K', '⌘ K'],
    ['mod+Enter', 'Ctrl ⏎', '⌘ ⏎'],
    ['Enter', '⏎', '⏎'],
    ['Home', 'Home', 'Home'],
    ['0', '0', '0'],
  ])('%s is %s, and %s on a Mac', (key, elsewhere, onMac) => {
    expect(keyName(key, false)).toBe(elsewhere);
    expect(keyName(key, true)).toBe(onMac);
  });

  it.each([
    ['MacIntel', '⌘ K'],
    ['Win32', 'Ctrl K'],
    ['Linux x86_64', 'Ctrl K'],
  ])('on %s it is %s', (platform, expected) => {
    vi.stubGlobal('navigator', { platform });
    expect(keyName('mod+k')).toBe(expected);
  });

  it('needs no navigator', () => {
    vi.stubGlobal('navigator', undefined);
    expect(keyName('mod+k')).toBe('Ctrl K');
  });
});
