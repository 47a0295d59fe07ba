import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

interface ShellStore {
  readonly railFolded: boolean;
  readonly firstRunDismissed: boolean;
  readonly dialog: 'palette' | 'keys' | 'own-model' | null;
  /** trouble lines hidden by hand; a new kind shows again */
  readonly hiddenTrouble: readonly string[];
}

/** How the frame looks; the lasting half survives a reload. */
export const useShellStore = create<ShellStore>()(
  persist((): ShellStore => ({ railFolded: false, firstRunDismissed: false, dialog: null, hiddenTrouble: [] }), {
    name: 'plaudit.shell',
    storage: createJSONStorage(() => localStorage),
    partialize: ({ railFolded, firstRunDismissed }) => ({ railFolded, firstRunDismissed }),
  }),
);
