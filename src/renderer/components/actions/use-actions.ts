import { useEffect, useLayoutEffect } from 'react';
import type { Action } from './action';
import { useActionStore } from './action-store';
import { findAction, type KeyPress, readKeyPress } from './find-action';

/** Offers these actions while the component is mounted. One owner per scope: a screen's page, and the shell. */
export function useActions(scope: 'screen' | 'everywhere', actions: readonly Action[]): void {
  // Every render: actions close over current state, and the store notifies only palette and help.
  useEffect(() => {
    useActionStore.setState({ [scope]: actions });
  });
  useEffect(() => () => useActionStore.setState({ [scope]: [] }), [scope]);
}

/**
 * The one key listener of the window; mounted by the shell.
 *
 * What is open is read before anyone else sees the key, and acted on after all of them: a key that closes a dialog or a
 * menu must not act on the screen below as well. In a layout effect, because dialogs listen from their effects.
 */
export function useActionKeys(): void {
  useLayoutEffect(() => {
    let press: KeyPress | null = null;
    function handleKeyDownFirst(event: KeyboardEvent): void {
      press = readKeyPress(event);
    }
    function handleKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || press === null) return;
      const { screen, everywhere } = useActionStore.getState();
      const action = findAction(press, [...screen, ...everywhere]);
      if (action === null) return;
      event.preventDefault();
      action.run();
    }
    window.addEventListener('keydown', handleKeyDownFirst, true);
    window.addEventListener('keydown', handleKeyDown);
    return () => {
      window.removeEventListener('keydown', handleKeyDownFirst, true);
      window.removeEventListener('keydown', handleKeyDown);
    };
  }, []);
}
