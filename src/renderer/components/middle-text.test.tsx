// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { MiddleText } from './middle-text';

afterEach(cleanup);

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
