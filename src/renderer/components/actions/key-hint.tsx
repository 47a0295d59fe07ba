import { Kbd } from '@mantine/core';

const symbols: Readonly<Record<string, string>> = {
  Enter: '⏎',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Backspace: '⌫',
};

const isMac = (): boolean => typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);

/** `mod+Enter` as people read it: Ctrl ⏎, or ⌘ ⏎ on a Mac. A letter is shown as on its key, so a capital says that Shift goes with it. */
export const keyName = (key: string, onMac = isMac()): string =>
  key
    .split('+')
    .map(
      (part) =>
        (part === 'mod' ? (onMac ? '⌘' : 'Ctrl') : symbols[part]) ?? (part.length === 1 ? letterName(part) : part),
    )
    .join(' ');

const letterName = (letter: string): string => (/[A-Z]/.test(letter) ? `⇧ ${letter}` : letter.toUpperCase());

export function KeyHint({ keyCode }: { readonly keyCode: string }) {
  return <Kbd size="xs">{keyName(keyCode)}</Kbd>;
}
