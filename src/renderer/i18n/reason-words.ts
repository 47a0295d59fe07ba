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
  return known === undefined ? problem.message : `${known}（${problem.message}）`;
}

/** The same for a line of trouble: the cause in the reader's language, the English sentences as its particulars. */
export function troubleWords<T extends Trouble>(trouble: T, language: Language): T {
  if (language !== 'zh') return trouble;
  const known = zh.troubles[trouble.kind.replace(/^(batch-set-aside)-\d+$/, '$1')];
  return known === undefined ? trouble : { ...trouble, message: known, advice: `${trouble.message} ${trouble.advice}` };
}

export function useProblemWords(): (problem: Problem) => string {
  const language = useLanguage();
  return (problem) => problemWords(problem, language);
}
