import { Kbd } from '@mantine/core';

const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);

const symbols: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  Enter: '⏎',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Backspace: '⌫',
};

/** `mod+Enter` as people read it: Ctrl ⏎. A letter is shown as on its key, so a capital says that Shift goes with it. */
export const keyName = (key: string): string =>
  key
    .split('+')
    .map((part) => symbols[part] ?? (part.length === 1 ? letterName(part) : part))
    .join(' ');

const letterName = (letter: string): string => (/[A-Z]/.test(letter) ? `⇧ ${letter}` : letter.toUpperCase());

export function KeyHint({ keyCode }: { readonly keyCode: string }) {
  return <Kbd size="xs">{keyName(keyCode)}</Kbd>;
}
