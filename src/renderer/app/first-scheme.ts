const storageKey = 'plaudit.theme';

/** Before React renders: the theme of last time, so that the first frame already has it. */
export function applyRememberedScheme(): void {
  const remembered = localStorage.getItem(storageKey);
  if (remembered === 'light' || remembered === 'dark') {
    document.documentElement.setAttribute('data-mantine-color-scheme', remembered);
  }
}

export const rememberScheme = (theme: 'system' | 'light' | 'dark'): void => localStorage.setItem(storageKey, theme);
