import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

export const screens = ['rate', 'trajectories', 'groups', 'runs', 'settings'] as const;
export type Screen = (typeof screens)[number];

interface NavigationStore {
  readonly screen: Screen;
  /** a place within the screen that was asked for, e.g. `receipts`; the screen takes it and clears it */
  readonly place: string | null;
  /** how often a screen was asked for: also the one that is already shown */
  readonly openings: number;
}

/** Which screen is shown; features use it to send a person elsewhere without importing each other. */
export const useNavigationStore = create<NavigationStore>()(
  persist((): NavigationStore => ({ screen: 'rate', place: null, openings: 0 }), {
    name: 'plaudit.navigation',
    storage: createJSONStorage(() => localStorage),
    partialize: ({ screen }) => ({ screen, place: null, openings: 0 }),
    merge: (stored, current) => {
      const screen = (stored as { screen?: unknown } | undefined)?.screen; // of an older or damaged store
      return screens.some((known) => known === screen) ? { ...current, screen: screen as Screen } : current;
    },
  }),
);

export function openScreen(screen: Screen, place: string | null = null): void {
  useNavigationStore.setState(({ openings }) => ({ screen, place, openings: openings + 1 }));
}

export function clearPlace(): void {
  useNavigationStore.setState({ place: null });
}
