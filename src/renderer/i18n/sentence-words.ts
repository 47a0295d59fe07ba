import { parserSentences } from './zh/parser-sentences';
import { sentences } from './zh/sentences';

const all = [...sentences, ...parserSentences];

interface Form {
  readonly pattern: RegExp;
  readonly chinese: string;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const toForm = ([english, chinese]: (typeof sentences)[number]): Form => ({
  chinese,
  pattern: new RegExp(
    `^${english
      .split(/(\{#?\})/)
      .map((part) => (part === '{}' ? '([\\s\\S]*?)' : part === '{#}' ? '(-?\\d+(?:\\.\\d+)?)' : escaped(part)))
      .join('')}$`,
  ),
});

/** Sentences without anything put in are looked up; only the others have to be tried one by one. */
const fixed: ReadonlyMap<string, string> = new Map(all.filter(([english]) => !english.includes('{')));
const forms = all.filter(([english]) => english.includes('{')).map(toForm);

/** Longer texts are no sentences of ours, and every form would be tried on them. */
const MOST_CHARACTERS = 2000;
/** How deep sentences stand in one another; more of it is a text that only looks like one of ours. */
const MOST_LEVELS = 4;

/** A sentence of the programs in Chinese, or several of them after one another; null when one is not known. */
export function chineseSentence(text: string, level = 0): string | null {
  if (text.length > MOST_CHARACTERS || level > MOST_LEVELS) return null;
  const exact = fixed.get(text);
  if (exact !== undefined) return exact;
  // One by one first: a form for the first sentence alone would take the others for words put into it.
  const parts = text.trim().split(/(?<=[.!?]) +(?=[A-Z0-9])/);
  const known = parts.length < 2 ? [null] : parts.map((part) => chineseSentence(part, level + 1));
  return known.every((part) => part !== null) ? known.join('') : formOf(text, level);
}

function formOf(text: string, level: number): string | null {
  for (const { pattern, chinese } of forms) {
    const match = pattern.exec(text);
    if (match === null) continue;
    return chinese.replace(/\{(\d)\}/g, (_place, index: string) => {
      const value = match[Number(index) + 1] ?? '';
      return value === '' ? '' : (chineseSentence(value, level + 1) ?? value);
    });
  }
  return null;
}
