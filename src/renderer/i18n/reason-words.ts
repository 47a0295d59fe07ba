import { chineseSentence } from './sentence-words';
import { type Language, useLanguage } from './text';
import * as zh from './zh/reasons';

/** A problem as `data/` has it, as far as words are concerned. */
interface Problem {
  readonly kind: string;
  readonly code?: string | null;
  readonly message: string;
}

interface Trouble {
  readonly kind: string;
  readonly message: string;
  readonly advice: string;
}

/** Why something did not work, in the reader's language where its code is known, with the English particulars after it. */
export function problemWords(problem: Problem, language: Language): string {
  if (language !== 'zh') return problem.message;
  const known = problem.kind === 'refused' ? zh.refusals[problem.code ?? ''] : zh.problems[problem.kind];
  const particulars = reasonWords(problem.message, language);
  return known === undefined ? particulars : `${known}（${particulars}）`;
}

/** A reason that comes as a sentence, without a code: in the reader's language where the sentence is known. */
export function reasonWords(reason: string, language: Language): string {
  return (language === 'zh' ? chineseSentence(reason) : null) ?? reason;
}

/**
 * The same for a line of trouble: its own sentences where they are known, else the cause by its kind, with the English
 * sentence as its particulars.
 */
export function troubleWords<T extends Trouble>(trouble: T, language: Language): T {
  if (language !== 'zh') return trouble;
  const known = zh.troubles[trouble.kind.replace(/^(batch-set-aside)-\d+$/, '$1')];
  const message = chineseSentence(trouble.message);
  const advice = reasonWords(trouble.advice, language);
  if (message !== null) return { ...trouble, message, advice };
  return known === undefined
    ? { ...trouble, advice }
    : { ...trouble, message: known, advice: `${trouble.message} ${advice}` };
}

export function useReasonWords(): (reason: string) => string {
  const language = useLanguage();
  return (reason) => reasonWords(reason, language);
}

export function useProblemWords(): (problem: Problem) => string {
  const language = useLanguage();
  return (problem) => problemWords(problem, language);
}
