import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

export const screens = ['rate', 'trajectories', 'groups', 'runs', 'settings'] as const;
export type Screen = (typeof screens)[number];

interface NavigationStore {
  readonly screen: Screen;
  /** a place within the screen that was asked for, e.g. `receipts`; the screen takes it and clears it */
  readonly place: string | null;
}

/** Which screen is shown; features use it to send a person elsewhere without importing each other. */
export const useNavigationStore = create<NavigationStore>()(
  persist((): NavigationStore => ({ screen: 'rate', place: null }), {
    name: 'plaudit.navigation',
    storage: createJSONStorage(() => localStorage),
    partialize: ({ screen }) => ({ screen, place: null }),
    merge: (stored, current) => {
      const screen = (stored as { screen?: unknown } | undefined)?.screen; // of an older or damaged store
      return screens.some((known) => known === screen) ? { ...current, screen: screen as Screen } : current;
    },
  }),
);

export function openScreen(screen: Screen, place: string | null = null): void {
  useNavigationStore.setState({ screen, place });
}

export function clearPlace(): void {
  useNavigationStore.setState({ place: null });
}
