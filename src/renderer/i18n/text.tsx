import { createContext, type ReactNode, useContext } from 'react';
import { en, type Messages } from './en';
import { zh } from './zh';

export type Language = 'en' | 'zh';

const languages: Record<Language, Messages> = { en, zh };

interface TextContextValue {
  readonly language: Language;
  readonly messages: Messages;
}
const TextContext = createContext<TextContextValue>({ language: 'en', messages: en });

export function TextProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <TextContext value={{ language, messages: languages[language] }}>{children}</TextContext>;
}

/** All words on the screen come from here: `useText().rate.send`. */
export const useText = (): Messages => useContext(TextContext).messages;

/** BCP 47 tag for Intl. */
export const useLocale = (): string => (useContext(TextContext).language === 'zh' ? 'zh-CN' : 'en');
export const useLanguage = (): Language => useContext(TextContext).language;

/** A value of a record in the reader's words, where it is one of the known ones. */
export function fieldWord<T extends string | null | undefined>(
  field: keyof Messages['fieldValues'],
  value: T,
  messages: Messages,
): T | string {
  const known: Readonly<Record<string, string>> = messages.fieldValues[field];
  return typeof value === 'string' && Object.hasOwn(known, value) ? (known[value] ?? value) : value;
}

export function useFieldWord(): (field: keyof Messages['fieldValues'], value: string) => string {
  const messages = useText();
  return (field, value) => fieldWord(field, value, messages);
}
