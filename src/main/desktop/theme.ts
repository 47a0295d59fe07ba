import { nativeTheme } from 'electron';
import type { Settings } from '../../shared/ipc/contract';

// The page's own backgrounds in index.html: until it has painted, the window shows through.
const BACKGROUND = { light: '#f6f7f8', dark: '#14171a' } as const;

/** Makes the system's parts of the window, and the page's media queries, follow the chosen theme. */
export function applyTheme(theme: Settings['theme']): void {
  nativeTheme.themeSource = theme;
}

/** What a window shows before its page has painted. */
export function windowBackground(): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light;
}
