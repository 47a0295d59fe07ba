import { create } from 'zustand';
import type { Action } from './action';

interface ActionStore {
  /** `screen` actions come before `everywhere` ones when both want a key */
  readonly screen: readonly Action[];
  readonly everywhere: readonly Action[];
}

/** What can be done now; written by useActions, read by the key listener, the palette and the help. */
export const useActionStore = create<ActionStore>(() => ({ screen: [], everywhere: [] }));
