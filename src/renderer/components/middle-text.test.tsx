// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareDom } from '../testing/dom';
import { MiddleText } from './middle-text';
import { emptyEnd } from './middle-text-join';

beforeEach(prepareDom);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('MiddleText', () => {
  it.each([
    ['chat-2026-11-29T20-00-00-abcdef', 'abcdef'],
    ['short', 'short'],
    ['任务-😀😀😀😀😀😀😀😀😀😀', '😀😀😀😀😀😀'],
    ['sum-3-4', 'sum-3-4'],
    ['weather-os1', 'weather-os1'],
    ['weather-oslo', 'r-oslo'],
    ['', ''],
  ])('keeps the end of %s apart, whole characters on both sides', (text, tail) => {
    const { container } = render(<MiddleText text={text} />);
    const frame = container.firstElementChild!;
    expect(frame.textContent).toBe(text);
    expect(frame.getAttribute('title')).toBe(text);
    expect(frame.children[1]!.textContent).toBe(tail);
    expect(frame.children[0]!.textContent).toBe(text.slice(0, text.length - tail.length));
  });
});

describe('emptyEnd', () => {
  it.each([
    ['all of it has room', [7, 14, 21], 21, 0],
    ['two characters and the ellipsis, 2 left over', [7, 14, 21, 28], 26, 2],
    ['exactly two characters and the ellipsis', [7, 14, 21, 28], 24, 0],
    ['only the first character, which stays', [7, 14], 12, 0],
    ['no text', [], 12, 0],
  ])('%s', (_reason, ends, room, gap) => {
    expect(emptyEnd(ends, room, 10)).toBe(gap);
  });
});
