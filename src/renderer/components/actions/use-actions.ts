import { useEffect } from 'react';
import type { Action } from './action';
import { useActionStore } from './action-store';
import { findAction, readKeyPress } from './find-action';

/** Offers these actions while the component is mounted. One owner per scope: a screen's page, and the shell. */
export function useActions(scope: 'screen' | 'everywhere', actions: readonly Action[]): void {
  // Every render: actions close over current state, and the store notifies only palette and help.
  useEffect(() => {
    useActionStore.setState({ [scope]: actions });
  });
  useEffect(() => () => useActionStore.setState({ [scope]: [] }), [scope]);
}

/** The one key listener of the window; mounted by the shell. */
export function useActionKeys(): void {
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented) return;
      const { screen, everywhere } = useActionStore.getState();
      const action = findAction(readKeyPress(event), [...screen, ...everywhere]);
      if (action === null) return;
      event.preventDefault();
      action.run();
    }
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
}
