// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareDom } from '../testing/dom';
import { Hint } from './hint';

beforeEach(() => {
  prepareDom();
  vi.useFakeTimers();
  render(
    <MantineProvider env="test">
      <Hint label="Settings  Ctrl 5">
        <button type="button">Settings</button>
      </Hint>
    </MantineProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const button = () => screen.getByText('Settings');
const isShown = () => screen.queryByRole('tooltip') !== null;
const rest = (ms = 1000) => act(() => vi.advanceTimersByTime(ms));

function pointTo(pointerType = 'mouse'): void {
  // jsdom makes no pointer event with a type of its own.
  const event = new MouseEvent('pointerover', { bubbles: true });
  Object.defineProperty(event, 'pointerType', { value: pointerType });
  fireEvent(button(), event);
}

describe('Hint', () => {
  it('shows when the pointer rests, and goes when it leaves', () => {
    pointTo();
    rest(100);
    expect(isShown()).toBe(false);
    rest();
    expect(isShown()).toBe(true);
    fireEvent.mouseLeave(button());
    expect(isShown()).toBe(false);
  });

  it.each([
    ['a press', () => fireEvent.pointerDown(button())],
    ['a key', () => fireEvent.keyDown(document.body, { key: '2', ctrlKey: true })],
    ['another window', () => fireEvent.blur(window)],
  ])('goes with %s, before and after it is shown, and stays away', (_name, use) => {
    for (const rested of [0, 1000]) {
      pointTo();
      rest(rested);
      expect(isShown()).toBe(rested > 0);
      use();
      rest();
      fireEvent.mouseMove(button());
      rest();
      expect(isShown()).toBe(false);
      fireEvent.mouseLeave(button());
    }
  });

  it('is not for fingers: a tap would leave it standing', () => {
    pointTo('touch');
    rest();
    expect(isShown()).toBe(false);
  });
});
